"""Outer syntax of a theory file: its tokens with their places, cut into commands.

Comments are left out, names inside quotes are never keywords. A command begins at its keyword and ends where the next
one begins. Keywords that a theory declares in its own header are commands, too; nobody here can read those.
"""

from __future__ import annotations

import re
import stat
from bisect import bisect_right
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.isabelle.theory.text.outer_syntax import SourceToken as SourceToken
from isarstep.isabelle.theory.text.outer_syntax import outer_tokens

MOST_BYTES = 50_000_000
_SUBSCRIPT = r"(?:\\<\^sub>|⇩|[₀-₉])"
_NAME = rf"(?:\\<[A-Za-z]+>|[^\W\d])(?:\\<(?!open>|close>|comment>)[A-Za-z]+>|{_SUBSCRIPT}|[\w'])*"
TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<comment>\(\*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<back>`(?:[^`\\]|\\.)*`)
  | (?P<open>\\<open>|‹)
  | (?P<verbatim>\{{\*.*?\*\}})
  | (?P<marker>\\<(?:comment|\^cancel|\^marker|\^latex)>|―|--(?=\s*(?:‹|\\<open>|")))
  | (?P<var>\?'?{_NAME}(?:\.[0-9]+)?)
  | (?P<typevar>'{_NAME})
  | (?P<name>{_NAME}(?:\.{_NAME})*)
  | (?P<number>[0-9]+(?:\.[0-9]+)?)
  | (?P<symbol>::|\.\.\.|\.\.|\\<\^?[A-Za-z]+>|[!\#$%&*+\-/<=>@^|~]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)

# Commands by what they do to the state.
HEADINGS = frozenset("chapter section subsection subsubsection paragraph subparagraph text txt text_raw".split())
DIAGNOSTIC = frozenset(
    """ML_command ML_val class_deps code_deps code_thms compile_generated_files export_generated_files find_consts
    find_theorems find_unused_assms full_prf help locale_deps nitpick nunchaku prf print_ML_antiquotations
    print_abbrevs print_antiquotations print_attributes print_bnfs print_bundles print_case_translations print_cases
    print_claset print_classes print_codeproc print_codesetup print_coercions print_commands print_context
    print_context_tracing print_definitions print_defn_rules print_facts print_induct_rules print_inductives
    print_interps print_locale print_locales print_methods print_options print_orders print_quot_maps print_quotconsts
    print_quotients print_quotientsQ3 print_quotmapsQ3 print_record print_rules print_simpset print_state
    print_statement print_syntax print_term_bindings print_theorems print_theory print_trans_rules prop quickcheck
    refute scala_build_generated_files sledgehammer smt_status solve_direct term test_code thm thm_deps thm_oracles
    thy_deps try try0 typ unused_thms value values welcome nitpick_params nunchaku_params quickcheck_params
    refute_params sledgehammer_params export_code code_identifier code_monad code_printing code_reflect code_reserved
    code_datatype quickcheck_generator generate_file external_file bibtex_file print_translation print_ast_translation
    typed_print_translation syntax_consts syntax_types named_theorems chapter_definition""".split()
)
STATEMENTS = frozenset("lemma theorem corollary proposition schematic_goal".split())
DECLARATIONS = frozenset(
    """definition abbreviation fun primrec function datatype type_synonym typedecl inductive inductive_set locale
    context notation no_notation type_notation no_type_notation consts axiomatization lemmas declare hide_const
    hide_fact hide_type hide_class unbundle notepad termination record""".split()
)
# Not read, and those that are followed by a proof.
UNREAD = frozenset(
    """syntax no_syntax translations no_translations parse_translation parse_ast_translation nonterminal ML ML_file
    ML_file_debug ML_file_no_debug SML_file SML_file_debug SML_file_no_debug ML_export SML_import SML_export setup
    local_setup declaration syntax_declaration attribute_setup method_setup simproc_setup oracle judgment default_sort
    overloading instantiation class codatatype primcorec adhoc_overloading no_adhoc_overloading bundle
    open_bundle experiment alias type_alias setup_lifting lifting_forget lifting_update partial_function fun_cases
    inductive_cases inductive_simps coinductive coinductive_set case_of_simps simps_of_case datatype_compat extract
    extract_type realizers realizability bnf_axiomatization parametric_constant datatype_record""".split()
)
UNREAD_GOALS = frozenset(
    """typedef instance interpretation sublocale global_interpretation subclass quotient_type quotient_definition
    lift_definition lift_bnf bnf functor free_constructors specification primcorecursive code_pred old_rep_datatype
    copy_bnf""".split()
)
# Of theories that not everybody imports: elsewhere they are names. They count where a line begins with them.
OPTIONAL = frozenset(
    """method domain domaindef domain_isomorphism fixrec statespace nominal_datatype atom_decl equivariance
    nominal_inductive nominal_inductive2 nominal_primrec cpodef pcpodef corec corecursive friend_of_corec derive recdef
    unoverload_definition coinduction_upto code_lazy_type lemmas_with import_tptp time_fun time_function
    time_definition time_partial_function boogie_file spark_open spark_end spark_vc print_lazy_types crunch
    local_typedef setup_result approximate real_limit real_expansion explore sketch relator_interpretation
    adhoc_type sepref_definition sepref_register sepref_decl_op""".split()
)
PROOF = frozenset(
    """proof qed by done sorry oops apply apply_end defer prefer back using unfolding supply from with note then have
    show hence thus obtain consider fix assume presume define let write case moreover also finally ultimately
    next subgoal interpret include including . .. { } ML_prf \\<proof>""".split()
)
STRUCTURE = frozenset("theory end private qualified".split())
COMMANDS = HEADINGS | DIAGNOSTIC | STATEMENTS | DECLARATIONS | UNREAD | UNREAD_GOALS | PROOF | STRUCTURE


def split_at(separator: str, tokens: Iterable[SourceToken]) -> list[list[SourceToken]]:
    """The parts between separators; what stands in brackets is left whole, and empty parts are left out."""
    found: list[list[SourceToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.keyword("[", "(") - token.keyword("]", ")")
        if depth == 0 and token.keyword(separator):
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]


@dataclass(frozen=True, slots=True)
class OuterCommand:
    """A command: its keyword and the tokens behind it."""

    name: str
    tokens: tuple[SourceToken, ...]
    start: int
    end: int  # behind its last token


class TheorySource:
    """The text of one theory file."""

    def __init__(self, text: str, path: Path | str = "theory") -> None:
        self.text, self.path = text, str(path)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line(self, place: int) -> int:
        """Lines are counted from 1."""
        return bisect_right(self._lines, place)

    def where(self, place: int) -> str:
        """`file:line:column`, as messages begin."""
        line = self.line(place)
        return f"{self.path}:{line}:{place - self._lines[line - 1] + 1}"

    def place(self, line: int, column: int) -> int:
        """The character at a line and a column, both counted from 1."""
        return min(self._lines[min(line, len(self._lines)) - 1] + column - 1, len(self.text))

    def line_end(self, line: int) -> int:
        """Where a line ends; refused where the file has no such line."""
        count = len(self._lines) - self.text.endswith("\n")
        if not 1 <= line <= count:
            raise UserError(f"{self.path}:{line}: the file has {count} lines")
        return self._lines[line] - 1 if line < len(self._lines) else len(self.text)

    def refused(self, place: int, what: str) -> UserError:
        return UserError(f"{self.where(place)}: {what}")


def read_source(path: Path) -> TheorySource:
    """A theory file. Raises UserError where it cannot be read."""
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):  # others may have no end, or keep a reader waiting
            raise UserError(f"{path}: this is no regular file")
        if state.st_size > MOST_BYTES:
            raise UserError(f"{path}: a theory of more than {MOST_BYTES // 1_000_000} MB is not read")
        return TheorySource(path.read_bytes().decode("utf-8").replace("\r\n", "\n"), path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is no UTF-8; save the file as UTF-8") from None


@dataclass(frozen=True, slots=True)
class TheoryHeader:
    """`theory NAME imports ... begin`."""

    name: str
    imports: tuple[str, ...]
    keywords: frozenset[str]  # of commands that the theory declares


def split_commands(source: TheorySource) -> tuple[TheoryHeader, list[OuterCommand]]:
    """The header and all commands behind it. Raises UserError."""
    found = list(outer_tokens(source.text, TOKEN, source.refused))
    start = next((i for i, token in enumerate(found) if token.keyword("theory")), None)
    if start is None:
        raise source.refused(0, "there is no `theory ... imports ... begin`")
    header, begin = _header(source, found, start)
    commands, optional = COMMANDS | header.keywords, OPTIONAL - header.keywords
    places = [i for i in range(begin, len(found)) if _begins(source, found, i, commands, optional)]
    if found[begin:] and places[:1] != [begin]:
        raise source.refused(found[begin].start, f"{found[begin].text[:40]!r} is no command that is known here")
    made = []
    for place, following in pairwise([*places, len(found)]):
        inner = tuple(found[place + 1 : following])
        last = inner[-1] if inner else found[place]
        made.append(OuterCommand(found[place].text, inner, found[place].start, last.end))
    return header, made


def _begins(
    source: TheorySource, found: list[SourceToken], place: int, commands: Container[str], optional: Container[str]
) -> bool:
    token = found[place]
    if token.kind not in ("name", "symbol"):
        return False
    if token.text in optional:
        if place + 1 < len(found) and found[place + 1].keyword("::"):  # a constant of this name
            return False
        return not source.text[source.text.rfind("\n", 0, token.start) + 1 : token.start].strip()
    return token.text in commands


def _header(source: TheorySource, found: list[SourceToken], start: int) -> tuple[TheoryHeader, int]:
    """The header, and the place of the first token behind `begin`."""
    if start + 1 >= len(found) or found[start + 1].keyword("imports", "begin"):
        raise source.refused(found[start].start, "the theory has no name")
    end = next((place for place in range(start + 2, len(found)) if found[place].keyword("begin")), len(found))
    sections: dict[str, list[SourceToken]] = {}
    here: list[SourceToken] | None = None
    for token in found[start + 2 : end]:
        if token.keyword("imports", "keywords", "abbrevs"):
            here = sections.setdefault(token.text, [])
        elif here is None:
            raise source.refused(token.start, f"expected imports or begin, found {token.text[:40]!r}")
        else:
            here.append(token)
    if end == len(found):
        raise source.refused(found[start].start, "the theory's header does not end: `begin` is missing")
    imports = tuple(token.text for token in sections.get("imports", ()))
    groups = split_at("and", sections.get("keywords", ()))
    # With a kind it is a command; minor keywords have none.
    commands = [group for group in groups if any(token.keyword("::") for token in group)]
    keywords = (token.text for group in commands for token in takewhile(lambda each: each.kind == "string", group))
    return TheoryHeader(found[start + 1].text, imports, frozenset(keywords)), end + 1
