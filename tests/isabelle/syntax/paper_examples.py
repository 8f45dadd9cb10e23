"""Propositions displayed in the paper, written as tokens by hand. Tests of decoding, typing and printing share them."""

from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.type_text import parse_type

# Section 2: the two worked encodings.
EVEN_A = "CONST HOL.Trueprop $ ( CONST Parity.semiring_parity_class.even $ FREE <X0> )"
FALSE_IMPLIES_P = "CONST Pure.imp $ ( CONST HOL.Trueprop $ CONST HOL.False ) $ ( CONST HOL.Trueprop $ VAR <V0> )"

# Appendix, validation #605: what each stands for in the paper -> tokens. 𝒳 is space, 𝒜 is sets, μ is emeasure.
VALIDATION_605 = {
    "F.1 additive(𝒜_x1, μ_x0)": (
        "CONST HOL.Trueprop $ ( CONST Sigma_Algebra.countably_additive $ ( CONST Sigma_Algebra.sets $ FREE <X1> ) $ "
        "( CONST Sigma_Algebra.emeasure $ FREE <X0> ) )"
    ),
    "F.2 subalgebra(x0, x1)": (
        "CONST HOL.Trueprop $ ( CONST Conditional_Expectation.subalgebra $ FREE <X0> $ FREE <X1> )"
    ),
    "F.3 measure_space(𝒳_x0, 𝒜_x1, μ_x0)": (
        "CONST HOL.Trueprop $ ( CONST Sigma_Algebra.measure_space $ ( CONST Sigma_Algebra.space $ FREE <X0> ) $ "
        "( CONST Sigma_Algebra.sets $ FREE <X1> ) $ ( CONST Sigma_Algebra.emeasure $ FREE <X0> ) )"
    ),
    "F.4 σ(𝒳_x0, 𝒜_x1)": (
        "CONST HOL.Trueprop $ ( CONST Sigma_Algebra.sigma_algebra $ ( CONST Sigma_Algebra.space $ FREE <X0> ) $ "
        "( CONST Sigma_Algebra.sets $ FREE <X1> ) )"
    ),
    "F.4 positive(𝒜_x1, μ_x0)": (
        "CONST HOL.Trueprop $ ( CONST Sigma_Algebra.positive $ ( CONST Sigma_Algebra.sets $ FREE <X1> ) $ "
        "( CONST Sigma_Algebra.emeasure $ FREE <X0> ) )"
    ),
    "F.4 measure_space(v1, v0, v2) = (σ(v1, v0) ∧ positive(v0, v2) ∧ additive(v0, v2))": (
        "CONST HOL.Trueprop $ ( CONST HOL.eq $ "
        "( CONST Sigma_Algebra.measure_space $ VAR <V1> $ VAR <V0> $ VAR <V2> ) $ ( CONST HOL.conj $ ( CONST Sigma_Algebra.sigma_algebra $ VAR <V1> $ VAR <V0> ) $ ( CONST HOL.conj $ "
        "( CONST Sigma_Algebra.positive $ VAR <V0> $ VAR <V2> ) $ "
        "( CONST Sigma_Algebra.countably_additive $ VAR <V0> $ VAR <V2> ) ) ) )"
    ),
}


def with_subalgebra(signature: Signature) -> Signature:
    """The committed signature has no HOL-Probability; #605 uses one constant of it."""
    subalgebra = Constant(
        "Conditional_Expectation.subalgebra",
        parse_type("(fun (Sigma_Algebra.measure 'a) (fun (Sigma_Algebra.measure 'a) HOL.bool))"),
    )
    return Signature.build(
        [*signature.constants.values(), subalgebra],
        signature.types.items(),
        signature.classes.items(),
        [(t, c, sorts) for t, table in signature.arities.items() for c, sorts in table.items()],
        signature.coercions,
    )
