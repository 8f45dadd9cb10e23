"""Isabelle's `\\<forall>` and the character ∀: one spelling for the reader, the other for Isabelle.

Symbols that are not in the table stay as they are and are read all the same; the table is for what people type and see.
"""

from __future__ import annotations

import re
from functools import cache

_TABLE = """
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ
sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ
Psi Ψ Omega Ω longlongrightarrow ⤏ longlongleftarrow ⤎
longlonglongrightarrow ⇢ longlonglongleftarrow ⇠ interleave ⫴ Zcomp ⨾ Zinj ↣ Zsurj ↠ Zbij ⤖ Zpfun ⇸
Lleftarrow ⇚ Rrightarrow ⇛ Colon ∷ llangle ⟪ rrangle ⟫
diamondop ⋄ Parallel ‖ sslash ⫽ bool 𝔹 complex ℂ nat ℕ rat ℚ real ℝ int ℤ leftarrow ← longleftarrow ⟵ rightarrow →
longrightarrow ⟶ Leftarrow ⇐ Longleftarrow ⟸ Rightarrow ⇒ Longrightarrow ⟹ leftrightarrow ↔ longleftrightarrow ⟷
Leftrightarrow ⇔ Longleftrightarrow ⟺ mapsto ↦ longmapsto ⟼ midarrow ─ Midarrow ═ hookleftarrow ↩ hookrightarrow ↪
leftharpoondown ↽ rightharpoondown ⇁ leftharpoonup ↼ rightharpoonup ⇀ downharpoonleft ⇃ downharpoonright ⇂
upharpoonleft ↿ restriction ↾ rightleftharpoons ⇌ leadsto ↝ up ↑ Up ⇑ down ↓ Down ⇓ updown ↕ Updown ⇕ langle ⟨
rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lparr ⦇ rparr ⦈ lbrakk ⟦ rbrakk ⟧ lbrace ⦃ rbrace ⦄ lblot ⦉ rblot ⦊
guillemotleft « guillemotright » bottom ⊥ top ⊤ and ∧ And ⋀ or ∨ Or ⋁ forall ∀ exists ∃ nexists ∄ not ¬ circle ○ box □
diamond ◇ turnstile ⊢ Turnstile ⊨ tturnstile ⊩ TTurnstile ⊫ stileturn ⊣ surd √ le ≤ ge ≥ lless ≪ ggreater ≫ lesssim ≲
greatersim ≳ lessapprox ⪅ greaterapprox ⪆ in ∈ notin ∉ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ sqsubset ⊏ sqsupset ⊐
sqsubseteq ⊑ sqsupseteq ⊒ inter ∩ Inter ⋂ union ∪ Union ⋃ squnion ⊔ Squnion ⨆ sqinter ⊓ Sqinter ⨅ setminus ∖ propto ∝
uplus ⊎ Uplus ⨄ noteq ≠ sim ∼ doteq ≐ simeq ≃ approx ≈ asymp ≍ cong ≅ smile ⌣ equiv ≡ frown ⌢ Join ⋈ bowtie ⨝ prec ≺
succ ≻ preceq ≼ succeq ≽ parallel ∥ bar ¦ bbar ⫿ plusminus ± minusplus ∓ times × div ÷ cdot ⋅ sqdot · star ⋆ bullet ∙
circ ∘ dagger † ddagger ‡ lhd ⊲ rhd ⊳ unlhd ⊴ unrhd ⊵ triangleleft ◃ triangleright ▹ triangle △ triangleq ≜ oplus ⊕
Oplus ⨁ otimes ⊗ Otimes ⨂ odot ⊙ Odot ⨀ ominus ⊖ oslash ⊘ dots … cdots ⋯ Sum ∑ Prod ∏ Coprod ∐ infinity ∞ integral ∫
ointegral ∮ clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ aleph ℵ emptyset ∅ nabla ∇ partial ∂ flat ♭ natural ♮
sharp ♯ angle ∠ copyright © registered ® hyphen ‐ inverse ¯ onequarter ¼ onehalf ½ threequarters ¾ ordfeminine ª
ordmasculine º section § paragraph ¶ exclamdown ¡ questiondown ¿ euro € pounds £ yen ¥ cent ¢ currency ¤ degree °
amalg ⨿ mho ℧ lozenge ◊ wp ℘ wrong ≀ acute ´ index ı dieresis ¨ cedilla ¸ hungarumlaut ˝ bind ⤜ then ⪢ some ϵ hole ⌑
newline ⏎ comment ― open ‹ close › checkmark ✓ crossmark ✗ zero 𝟬 one 𝟭 two 𝟮 three 𝟯 four 𝟰 five 𝟱 six 𝟲 seven 𝟳
eight 𝟴 nine 𝟵 ^sub ⇩ ^sup ⇧ ^bold ❙ ^bsub ⇘ ^esub ⇙ ^bsup ⇗ ^esup ⇖
"""
_SUBSCRIPTS = zip("₀₁₂₃₄₅₆₇₈₉ₐₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aeijklmnoprstuvx", strict=True)
_SUPERSCRIPTS = zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿⁱ⁺⁻", "0123456789ni+-", strict=True)
# Characters that people type for a symbol that is another character in Isabelle.
_LIKE = {"−": "-", "⊊": "⊂", "ϕ": "φ", "’": "'", "‘": "'", "≔": ":="}
_NORMAL = str.maketrans(_LIKE | {c: "⇩" + of for c, of in _SUBSCRIPTS} | {c: "⇧" + of for c, of in _SUPERSCRIPTS})
_PIECE = re.compile(r"\\<\^?[A-Za-z][A-Za-z0-9_]*>|.", re.DOTALL)
_SYMBOL = re.compile(r"\\<(\^?[A-Za-z][A-Za-z0-9_]*)>")


@cache
def characters() -> dict[str, str]:
    """Symbol names and their characters."""
    words = _TABLE.split()
    table = dict(zip(words[::2], words[1::2], strict=True))
    for i in range(26):
        table[chr(65 + i)] = "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵"[i]
        table[chr(97 + i)] = chr(0x1D5BA + i)
        table[chr(65 + i) * 2] = "𝔄𝔅ℭ𝔇𝔈𝔉𝔊ℌℑ𝔍𝔎𝔏𝔐𝔑𝔒𝔓𝔔ℜ𝔖𝔗𝔘𝔙𝔚𝔛𝔜ℨ"[i]
        table[chr(97 + i) * 2] = chr(0x1D51E + i)
        table["bbb" + chr(65 + i)] = "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ"[i]
    return table


@cache
def _names() -> dict[int, str]:
    return str.maketrans({character: f"\\<{name}>" for name, character in reversed(characters().items())})


def from_isabelle(text: str) -> str:
    """Symbols as characters, as far as they are known."""
    if "\\" not in text:
        return text
    table = characters()
    return _SYMBOL.sub(lambda match: table.get(match[1], match[0]), text)


def to_isabelle(text: str) -> str:
    """What is not ASCII as Isabelle's symbols."""
    return text if text.isascii() else text.translate(_names())


def normal(text: str) -> str:
    """One spelling of what people type: characters for symbols, ⇧2 for ², ⇩1 for ₁."""
    text = from_isabelle(text)
    return text if text.isascii() else text.translate(_NORMAL)


def without_quotes(text: str) -> str:
    """A formula pasted with the quotes that theories put around it, without them; blanks keep its places."""
    inner = text.strip()
    for opening, closing in (('"', '"'), ("‹", "›")):
        if len(inner) > 1 and inner[0] == opening and inner[-1] == closing and opening not in inner[1:-1]:
            return text.replace(opening, " ").replace(closing, " ")
    return text


def original_place(text: str, position: int) -> int:
    """Where in the text the character number `position` of its normal form stands."""
    place = length = 0
    for match in _PIECE.finditer(text):
        place = match.start()
        length += len(normal(match[0]))
        if length > position:
            return place
    return len(text)
