from tracescope.api import check as check
from tracescope.api import export as export
from tracescope.api import open_session as open_session
from tracescope.api import result as result
from tracescope.api import sample as sample

__version__: str
