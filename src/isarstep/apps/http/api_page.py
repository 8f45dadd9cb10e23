"""A page about the API, made from its OpenAPI document, that loads nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

STYLE = "<link rel='stylesheet' href='/page/api.css'><link rel='icon' href='/page/icon.svg'>"


def api_page(document: dict[str, Any]) -> str:
    """Every path with what it takes and gives, then every kind of body."""
    parts = [f"<h1>{escape(document['info']['title'])} {escape(document['info']['version'])}</h1>"]
    parts.append(f"<p>{escape(document['info']['description'])} <a href='/openapi.json'>openapi.json</a></p>")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2>")
            parts.append(f"<p>{escape(operation.get('description', ''))}</p>")
            rows = [
                (parameter["name"], kind(parameter["schema"]), parameter.get("description", ""))
                for parameter in operation.get("parameters", [])
            ]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is not None:
                rows.append(("body", kind(body["schema"]), ""))
            for status, answer in operation["responses"].items():
                schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
                rows.append((status, kind(schema), answer.get("description", "")))
            parts.append(table(rows))
    for name, schema in document["components"]["schemas"].items():
        parts.append(f"<h2 id='{escape(name)}'>{escape(name)}</h2><p>{escape(schema.get('description', ''))}</p>")
        required = schema.get("required", [])
        rows = [
            (field + ("" if field in required else " (optional)"), kind(value), value.get("description", ""))
            for field, value in schema.get("properties", {}).items()
        ]
        parts.append(table(rows))
    head = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>isarstep API</title>{STYLE}"
    return head + "".join(parts) + "</html>"


def table(rows: list[tuple[str, str, str]]) -> str:
    cells = (f"<tr><td><code>{escape(n)}</code><td>{k}<td>{escape(d)}" for n, k, d in rows)
    return f"<table>{''.join(cells)}</table>"


def kind(schema: dict[str, Any]) -> str:
    """A type in a few words; kinds of bodies link to their tables."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[1])
        return f"<a href='#{name}'>{name}</a>"
    if "anyOf" in schema:
        return " or ".join(kind(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " | ".join(escape(str(value)) for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    bounds = [f"{schema[key]} {sign}" for key, sign in (("minimum", "≤"),) if key in schema]
    bounds += [f"≤ {schema[key]}" for key in ("maximum", "maxLength") if key in schema]
    return " ".join([*bounds[:1], escape(str(schema.get("type", ""))), *bounds[1:]])
