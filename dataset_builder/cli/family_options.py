"""Options of ``build`` that come from the settings of the families, one a field."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from personamem.dataset_builder.families.registry import list_families


def add_family_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return ``command`` with an option for each field of each family's settings.

    ``command`` receives them as one keyword argument ``sections``: given values by family and
    field. Raises ValueError when two families name the same option.
    """
    places: dict[str, tuple[str, str]] = {}
    parameters: list[inspect.Parameter] = []
    for family in list_families():
        for name, field in family.settings.model_fields.items():
            parameter = f"{family.name}_{name}"
            option, annotation = _make_option(name, field, f"Family {family.name}")
            if any(option == _name_option(other) for other in parameters):
                raise ValueError(f"{family.name}: the option {option} is taken by another family")
            places[parameter] = (family.name, name)
            parameters.append(
                inspect.Parameter(
                    parameter, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
                )
            )

    def run(**given: Any) -> None:
        sections: dict[str, dict[str, Any]] = {}
        for parameter, (family_name, field_name) in places.items():
            value = given.pop(parameter)
            if value not in (None, []):
                sections.setdefault(family_name, {})[field_name] = value
        command(sections=sections, **given)

    own = inspect.signature(command, eval_str=True)
    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own.parameters.values()
        if parameter.name != "sections"
    ]
    # In the help, panels come in the order of their first option.
    general = sum(_find_panel(parameter) is None for parameter in kept)
    signature = inspect.Signature([*kept[:general], *parameters, *kept[general:]])
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return run


def merge_sections(
    families: list[str] | None, sections: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Return the value of ``families`` in a configuration: those to build, with what is given.

    None means all of the registry or of a configuration file, with their defaults.
    """
    if families:
        return {name: dict(sections.get(name, {})) for name in families} | {
            name: dict(values) for name, values in sections.items() if name not in families
        }
    if not sections:
        return None
    named = [
        family.name for family in list_families() if family.is_default or family.name in sections
    ]
    return {name: dict(sections.get(name, {})) for name in named}


def _make_option(name: str, field: FieldInfo, panel: str) -> tuple[str, Any]:
    extra = field.json_schema_extra
    named = extra.get("option") if isinstance(extra, Mapping) else None
    option = str(named or "--" + name.replace("_", "-"))
    kind = _find_type(field.annotation)
    help_text = str(field.description)
    default = field.get_default()
    if default is not None and "[default:" not in help_text:
        shown = ", ".join(default) if isinstance(default, tuple) else default
        help_text += f" [default: {shown}]"
    return option, Annotated[
        kind | None, typer.Option(option, help=help_text, rich_help_panel=panel)
    ]


def _find_type(annotation: Any) -> Any:
    """Return the type of an option for the type of a field: a tuple is given repeatedly."""
    if get_origin(annotation) is tuple:
        return list[get_args(annotation)[0]]  # type: ignore[misc]
    if get_origin(annotation) is Literal:
        return annotation
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    return kinds[0]


def _name_option(parameter: inspect.Parameter) -> str:
    info = _find_info(parameter)
    return str((info.param_decls or ("",))[0]) if info else ""


def _find_panel(parameter: inspect.Parameter) -> str | None:
    info = _find_info(parameter)
    return info.rich_help_panel if info else None


def _find_info(parameter: inspect.Parameter) -> OptionInfo | None:
    """Return what an annotation says about its option, None for one without."""
    notes = getattr(parameter.annotation, "__metadata__", ())
    return next((note for note in notes if isinstance(note, OptionInfo)), None)
