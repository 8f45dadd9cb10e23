"""Statements from theory files as problems."""

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.pasted import problem_of_text, problem_of_theory_text

THEORY = """theory Mine
  imports Complex_Main "HOL-Library.Multiset"
begin

lemma (in group) sums [simp]:
  fixes n m :: nat and f :: "nat \\<Rightarrow> real"
  assumes pos: "n > 0" (* says the text *)
    and "\\<forall>i. f i = 0" \\<open>m = n\\<close>
  shows "(\\<Sum>i<n. f i) = 0"
    using assms
proof -
  have *: "f i = 0" if "i < n" for i :: nat
    using that by simp
  then show ?thesis by (simp add: \\<open>x\\<close>)
qed

lemma plain: "x \\<le> x" "y = y" by simp

end
"""


def test_a_lemma_with_all_its_parts():
    lemma = problem_of_theory_text(THEORY)
    assert lemma.goal == "(\\<Sum>i<n. f i) = 0"
    assert lemma.facts == ("n > 0", "\\<forall>i. f i = 0", "m = n")
    assert lemma.fixed == ("n", "m", "f")
    assert lemma.types == {"n": "nat", "m": "nat", "f": "nat \\<Rightarrow> real"}
    assert lemma.imports == ("Complex_Main", "HOL-Library.Multiset")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("definition f where", "begins with none"),
        ("lemma foo: fixes x", "states nothing"),
        ("obtain x where P", "obtain"),
    ],
)
def test_what_is_no_statement(text, says):
    with pytest.raises(UserError, match=says):
        problem_of_text(text)


def test_a_symbol_may_be_a_name_and_a_label():
    text = (
        'lemma fixes \\<sigma> :: "nat \\<Rightarrow> nat" assumes \\<sigma>: "\\<sigma> 0 = 1" shows "\\<sigma> 0 > 0"'
    )
    lemma = problem_of_text(text)
    assert (lemma.fixed, lemma.facts) == (("\\<sigma>",), ("\\<sigma> 0 = 1",))
