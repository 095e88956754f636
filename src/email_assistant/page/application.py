"""The review page's routes; `server/app.py` mounts them."""

from collections.abc import Awaitable, Callable
from functools import wraps

import structlog
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.errors import EmailAssistantError, InputError, NotFoundError
from email_assistant.page.answer_routes import answer_routes
from email_assistant.page.data_routes import data_routes
from email_assistant.page.door import PageDoor, failed, login_routes
from email_assistant.page.html_routes import html_routes
from email_assistant.page.services import PageServices

UNEXPECTED = "Something went wrong that nobody expected ({}): the server's log says more, and `email-assistant doctor` checks all files."
Handler = Callable[[Request], Awaitable[Response]]

log = structlog.get_logger(__name__)


def page_routes(page: PageServices) -> list[Route]:
    """Every route of the page, each behind its door."""
    made = [*login_routes(page.sessions), *answer_routes(page), *data_routes(page), *html_routes(page)]
    return [_behind_the_door(each, page) for each in made]


def _behind_the_door(route: Route, page: PageServices) -> Route:
    methods = sorted((route.methods or set()) - {"HEAD"})
    door = Middleware(PageDoor, sessions=page.sessions)
    return Route(route.path, _with_errors(route.endpoint), methods=methods, middleware=[door])


def _with_errors(handler: Handler) -> Handler:
    """The handler; what is wrong with a request is told in a line."""

    @wraps(handler)
    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except InputError as error:
            return JSONResponse({"why": str(error)}, 422)
        except NotFoundError as error:
            return JSONResponse({"why": str(error)}, 404)
        except EmailAssistantError as error:
            return failed(request, str(error))
        except Exception as error:
            log.exception("page_failed", path=request.url.path)
            return failed(request, UNEXPECTED.format(type(error).__name__))

    return guarded
