"""What counts as a symbol in each language, as tree-sitter queries over wheels that are loaded when first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query

# Captures, read by `definitions`: a kind (@function, @class, ...) is the node of a symbol, @name its name; without
# one it is "default". @path is a name with dots; @declarator, @receiver and @target hold a name to be dug out. @scope
# gives what lies in it its name and is no symbol. @outer begins earlier than the @inner it wraps (decorators, export,
# template). @above may be glued to the symbol below. @object is a literal bound to @name (by a @pair of an outer
# one): what lies in a @literal that is no class and not bound is no symbol.
PYTHON = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(decorated_definition definition: (_) @inner) @outer
(comment) @above
"""

# A function bound to a name at the top of a module, also through calls: memo(forwardRef(() => ...)).
FUNCTIONS = "[(arrow_function) (function_expression) (generator_function)]"
CALLED = f"(arguments [{FUNCTIONS} (call_expression arguments: (arguments {FUNCTIONS}))])"
SCRIPT = f"""
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: {FUNCTIONS}) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: [(identifier) (member_expression)] @path right: {FUNCTIONS}) @function
(assignment_expression left: [(identifier) (member_expression)] @path right: (class)) @class
(pair key: (_) @name value: {FUNCTIONS}) @method
(export_statement value: {FUNCTIONS}) @function
(export_statement value: (class)) @class
(export_statement declaration: (_) @inner) @outer
(program (lexical_declaration (variable_declarator
  name: (identifier) @name value: (call_expression arguments: {CALLED})) @function))
(program (export_statement (lexical_declaration (variable_declarator
  name: (identifier) @name value: (call_expression arguments: {CALLED})) @function)))
(variable_declarator name: (identifier) @name value: (object) @object)
(assignment_expression left: [(identifier) (member_expression)] @path right: (object) @object)
(pair key: (_) @name value: (object) @object) @pair
(export_statement value: (object) @object)
[(object) (class_body)] @literal
[(comment) (decorator)] @above
"""
JAVASCRIPT = f"""{SCRIPT}
(field_definition property: (_) @name value: {FUNCTIONS}) @method
"""
TYPESCRIPT = f"""{SCRIPT}
(public_field_definition name: (_) @name value: {FUNCTIONS}) @method
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_signature name: (_) @name) @function
(class_body (method_signature name: (_) @name) @method)
(class_body (abstract_method_signature name: (_) @name) @method)
(variable_declarator name: (identifier) @name
  value: [(as_expression (object) @object) (satisfies_expression (object) @object)])
(export_statement value: [(as_expression (object) @object) (satisfies_expression (object) @object)])
"""

GO = """
(function_declaration name: (_) @name) @function
(method_declaration receiver: (_) @receiver name: (_) @name) @method
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(var_spec name: (identifier) @name value: (expression_list . (func_literal) .)) @function
(short_var_declaration
  left: (expression_list . (identifier) @name .) right: (expression_list . (func_literal) .)) @function
(assignment_statement
  left: (expression_list . (_) @name .) right: (expression_list . (func_literal) .)) @function
(comment) @above
"""

RUST = """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @union
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(impl_item !trait type: (_) @target) @impl
(impl_item trait: (_) @name type: (_) @target) @impl
[(line_comment) (block_comment) (attribute_item)] @above
"""

# A method of an anonymous class is named by the field or variable that holds it.
JAVA = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(variable_declarator name: (identifier) @name value: (object_creation_expression (class_body))) @scope
(variable_declarator name: (identifier) @name
  value: (method_invocation object: (object_creation_expression (class_body)))) @scope
(enum_constant name: (_) @name body: (_)) @scope
[(line_comment) (block_comment)] @above
"""

C = """
(function_definition declarator: (_) @declarator) @function
(struct_specifier name: (_) @declarator body: (_)) @struct
(union_specifier name: (_) @declarator body: (_)) @union
(enum_specifier name: (_) @declarator body: (_)) @enum
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @union
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @enum
(type_definition type: [
  (struct_specifier name: (_)) (union_specifier name: (_)) (enum_specifier name: (_))] @inner) @outer
(comment) @above
"""
CPP = f"""{C}
(class_specifier name: (_) @declarator body: (_)) @class
(namespace_definition name: (_) @declarator) @namespace
(template_declaration [(function_definition) (class_specifier) (struct_specifier) (union_specifier)
  (template_declaration)] @inner) @outer
"""

TABLE = {
    "python": ("tree_sitter_python", "language", PYTHON),
    "javascript": ("tree_sitter_javascript", "language", JAVASCRIPT),
    "typescript": ("tree_sitter_typescript", "language_typescript", TYPESCRIPT),
    "tsx": ("tree_sitter_typescript", "language_tsx", TYPESCRIPT),
    "go": ("tree_sitter_go", "language", GO),
    "rust": ("tree_sitter_rust", "language", RUST),
    "java": ("tree_sitter_java", "language", JAVA),
    "c": ("tree_sitter_c", "language", C),
    "cpp": ("tree_sitter_cpp", "language", CPP),
}
EXTENSIONS = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"), "cpp"),
}


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language, ready to parse, and what to look for in its trees."""

    language: Language
    query: Query
    errors: Query


def language_of(path: str) -> str | None:
    """The language that the name of a file says, None for one we have no table for."""
    dot = path.rfind(".")
    return EXTENSIONS.get(path[dot:].lower()) if dot > path.rfind("/") else None


@cache
def grammar(language: str) -> Grammar | None:
    """The grammar of a language of the table; None where its wheel is not installed."""
    package, entry, query = TABLE[language]
    try:
        from tree_sitter import Language, Query

        wheel = import_module(package)
    except ImportError:
        return None
    loaded = Language(getattr(wheel, entry)())
    return Grammar(loaded, Query(loaded, query), Query(loaded, "(ERROR) @error (MISSING) @error"))
