"""`class`, `instantiation` and `instance`: classes of the file and the types that belong to them."""

from __future__ import annotations

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms.terms import Sort, strip_fun
from isarstep.isabelle.terms.types import map_type
from isarstep.isabelle.theory.environment.declarations import NewName, new_names
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.library_targets import CLASS_TYPE, class_target, find_target
from isarstep.isabelle.theory.environment.stated import stated_props
from isarstep.isabelle.theory.text.statements import ANY_SORT, NotRead, read_together

_PARTS = ("fixes", "assumes", "begin")
_INSTANCE = ("<", "\\<subseteq>", "⊆")


def class_of(context: OwnContext, name: str, place: int) -> str:
    """The full name of a class of the file or of the library. Raises NotRead."""
    target = find_target(context, name, place)
    if target.class_type is None:
        raise NotRead(context.source, place, f"{name!r} is no class")
    return target.name


def declare_class(context: OwnContext, reader: TokenReader) -> None:
    """`class a = b + c + fixes ... assumes ... begin`."""
    if context.target is not None:
        raise reader.refused("a class inside a context is not read")
    name = reader.name()
    above = list(ANY_SORT)
    if reader.accept("="):
        while reader.here is not None and not reader.is_keyword(*_PARTS):
            token = reader.name()
            above.append(class_of(context, token.text, token.start))
            reader.accept("+")
    full = f"{context.theory}.{to_isabelle(name.text)}"
    target = class_target(full)
    own = target.class_type
    assert own is not None
    scope = context.scope()
    scope.sorts.update(target.sorts)
    new: list[NewName] = []
    rows = []
    begins = False
    while reader.here is not None:
        if reader.accept("fixes"):
            new += new_names(reader, scope, *_PARTS)
        elif reader.accept("assumes"):
            rows += stated_props(reader, *_PARTS)
        else:
            reader.expect("begin")
            reader.end()
            begins = True
    if any(each.type is None for each in new):
        raise reader.refused("an operation of a class without its type is not read")
    context.declare_class(name.text, above)
    for each in new:
        assert each.type is not None
        made = context.declare_constant(
            f"{full}_class.{each.name}", map_type(each.type, lambda v: own if v.name == CLASS_TYPE else v)
        ).name
        context.add_mixfix(each.mixfix, made, len(strip_fun(each.type)[0]))
    if rows:
        context.assuming.add(full)
    context.locales[name.text] = target
    context.enter(target)
    try:
        for row in rows:
            read = read_together(row.texts, context.scope())
            context.add_facts(row.label or f"assumption_{row.texts[0].start}", list(read.terms))
    except NotRead as error:
        context.notes.append(str(error))
    if not begins:
        context.leave()


def declare_instance(context: OwnContext, reader: TokenReader) -> None:
    """`instantiation t :: (a, b) c begin`, `instance t :: c`: types are of these classes from here on. `instance a < b`
    between classes is refused; `instance ..` inside a block says nothing new."""
    if reader.here is None or reader.is_keyword("begin"):
        return
    constructors = [reader.name()]
    if reader.is_keyword(*_INSTANCE):
        raise reader.refused("an inclusion of classes is not read")
    while reader.accept("and"):
        constructors.append(reader.name())
    reader.expect("::")
    sorts: list[Sort] = []
    if reader.is_keyword("("):
        inside = TokenReader(reader.bracket(), context.source, reader.start)
        while inside.here is not None:
            sorts.append(_sort(context, inside))
            inside.accept(",")
    classes = _sort(context, reader)
    for token in constructors:
        full = context.language.types.resolve(to_isabelle(token.text))
        if full is None:
            raise NotRead(context.source, token.start, f"there is no type {token.text!r}")
        count = context.signature.types[full]
        if sorts and len(sorts) != count:
            raise NotRead(context.source, token.start, f"the type {token.text!r} has {count} arguments")
        context.declare_instance(full, tuple(sorts) or (ANY_SORT,) * count, classes)


def _sort(context: OwnContext, reader: TokenReader) -> Sort:
    """`c` or `{c, d}`, in quotes or without."""
    if reader.is_keyword("{"):
        names = [(token.text, token.start) for token in reader.bracket() if not token.keyword(",")]
    else:
        token = reader.name()
        names = [(name.strip(), token.start) for name in token.text.strip("{} ").split(",")]
    known = dict.fromkeys(("type", *ANY_SORT), ANY_SORT[0])
    return tuple(known.get(name) or class_of(context, name, place) for name, place in names if name) or ANY_SORT
