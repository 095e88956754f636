"""Names of time zones as Windows and Outlook write them, as IANA names.

A name is the identifier ("W. Europe Standard Time") or what people are shown of it, with an offset in front
("(UTC+01:00) Amsterdam, Berlin, …"); both as the Unicode CLDR lists them (windowsZones.xml).
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from email_assistant.calendars.event import is_zone

_SHOWN = re.compile(
    r"\((?:UTC|GMT)(?:(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2}))?\)\s*(?P<name>.*)"
)
_UTC_NAMES = frozenset({"coordinated universal time", "tzone://microsoft/utc", "utc", "gmt", "z"})
_DISPLAYED = """
International Date Line West = Dateline Standard Time
Aleutian Islands = Aleutian Standard Time
Hawaii = Hawaiian Standard Time
Marquesas Islands = Marquesas Standard Time
Alaska = Alaskan Standard Time
Baja California = Pacific Standard Time (Mexico)
Pacific Time (US & Canada) = Pacific Standard Time
Arizona = US Mountain Standard Time
Chihuahua, La Paz, Mazatlan = Mountain Standard Time (Mexico)
La Paz, Mazatlan = Mountain Standard Time (Mexico)
Mountain Time (US & Canada) = Mountain Standard Time
Yukon = Yukon Standard Time
Central America = Central America Standard Time
Central Time (US & Canada) = Central Standard Time
Easter Island = Easter Island Standard Time
Guadalajara, Mexico City, Monterrey = Central Standard Time (Mexico)
Saskatchewan = Canada Central Standard Time
Bogota, Lima, Quito, Rio Branco = SA Pacific Standard Time
Chetumal = Eastern Standard Time (Mexico)
Eastern Time (US & Canada) = Eastern Standard Time
Haiti = Haiti Standard Time
Havana = Cuba Standard Time
Indiana (East) = US Eastern Standard Time
Turks and Caicos = Turks And Caicos Standard Time
Asuncion = Paraguay Standard Time
Atlantic Time (Canada) = Atlantic Standard Time
Caracas = Venezuela Standard Time
Cuiaba = Central Brazilian Standard Time
Georgetown, La Paz, Manaus, San Juan = SA Western Standard Time
Santiago = Pacific SA Standard Time
Newfoundland = Newfoundland Standard Time
Araguaina = Tocantins Standard Time
Brasilia = E. South America Standard Time
Cayenne, Fortaleza = SA Eastern Standard Time
City of Buenos Aires = Argentina Standard Time
Greenland = Greenland Standard Time
Montevideo = Montevideo Standard Time
Punta Arenas = Magallanes Standard Time
Saint Pierre and Miquelon = Saint Pierre Standard Time
Salvador = Bahia Standard Time
Azores = Azores Standard Time
Cabo Verde Is. = Cape Verde Standard Time
Dublin, Edinburgh, Lisbon, London = GMT Standard Time
Monrovia, Reykjavik = Greenwich Standard Time
Sao Tome = Sao Tome Standard Time
Casablanca = Morocco Standard Time
Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna = W. Europe Standard Time
Belgrade, Bratislava, Budapest, Ljubljana, Prague = Central Europe Standard Time
Brussels, Copenhagen, Madrid, Paris = Romance Standard Time
Sarajevo, Skopje, Warsaw, Zagreb = Central European Standard Time
West Central Africa = W. Central Africa Standard Time
Amman = Jordan Standard Time
Athens, Bucharest = GTB Standard Time
Beirut = Middle East Standard Time
Cairo = Egypt Standard Time
Chisinau = E. Europe Standard Time
Damascus = Syria Standard Time
Gaza, Hebron = West Bank Standard Time
Harare, Pretoria = South Africa Standard Time
Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius = FLE Standard Time
Jerusalem = Israel Standard Time
Juba = South Sudan Standard Time
Kaliningrad = Kaliningrad Standard Time
Khartoum = Sudan Standard Time
Tripoli = Libya Standard Time
Windhoek = Namibia Standard Time
Baghdad = Arabic Standard Time
Istanbul = Turkey Standard Time
Kuwait, Riyadh = Arab Standard Time
Minsk = Belarus Standard Time
Moscow, St. Petersburg = Russian Standard Time
Moscow, St. Petersburg, Volgograd = Russian Standard Time
Nairobi = E. Africa Standard Time
Volgograd = Volgograd Standard Time
Tehran = Iran Standard Time
Abu Dhabi, Muscat = Arabian Standard Time
Astrakhan, Ulyanovsk = Astrakhan Standard Time
Baku = Azerbaijan Standard Time
Izhevsk, Samara = Russia Time Zone 3
Port Louis = Mauritius Standard Time
Saratov = Saratov Standard Time
Tbilisi = Georgian Standard Time
Yerevan = Caucasus Standard Time
Kabul = Afghanistan Standard Time
Ashgabat, Tashkent = West Asia Standard Time
Ekaterinburg = Ekaterinburg Standard Time
Islamabad, Karachi = Pakistan Standard Time
Qyzylorda = Qyzylorda Standard Time
Chennai, Kolkata, Mumbai, New Delhi = India Standard Time
Sri Jayawardenepura = Sri Lanka Standard Time
Kathmandu = Nepal Standard Time
Astana = Central Asia Standard Time
Nur-Sultan = Central Asia Standard Time
Dhaka = Bangladesh Standard Time
Omsk = Omsk Standard Time
Yangon (Rangoon) = Myanmar Standard Time
Bangkok, Hanoi, Jakarta = SE Asia Standard Time
Barnaul, Gorno-Altaysk = Altai Standard Time
Hovd = W. Mongolia Standard Time
Krasnoyarsk = North Asia Standard Time
Novosibirsk = N. Central Asia Standard Time
Tomsk = Tomsk Standard Time
Beijing, Chongqing, Hong Kong, Urumqi = China Standard Time
Irkutsk = North Asia East Standard Time
Kuala Lumpur, Singapore = Singapore Standard Time
Perth = W. Australia Standard Time
Taipei = Taipei Standard Time
Ulaanbaatar = Ulaanbaatar Standard Time
Eucla = Aus Central W. Standard Time
Chita = Transbaikal Standard Time
Osaka, Sapporo, Tokyo = Tokyo Standard Time
Pyongyang = North Korea Standard Time
Seoul = Korea Standard Time
Yakutsk = Yakutsk Standard Time
Adelaide = Cen. Australia Standard Time
Darwin = AUS Central Standard Time
Brisbane = E. Australia Standard Time
Canberra, Melbourne, Sydney = AUS Eastern Standard Time
Guam, Port Moresby = West Pacific Standard Time
Hobart = Tasmania Standard Time
Vladivostok = Vladivostok Standard Time
Lord Howe Island = Lord Howe Standard Time
Bougainville Island = Bougainville Standard Time
Chokurdakh = Russia Time Zone 10
Magadan = Magadan Standard Time
Norfolk Island = Norfolk Standard Time
Sakhalin = Sakhalin Standard Time
Solomon Is., New Caledonia = Central Pacific Standard Time
Anadyr, Petropavlovsk-Kamchatsky = Russia Time Zone 11
Auckland, Wellington = New Zealand Standard Time
Fiji = Fiji Standard Time
Chatham Islands = Chatham Islands Standard Time
Nuku'alofa = Tonga Standard Time
Samoa = Samoa Standard Time
Kiritimati Island = Line Islands Standard Time
"""
_WINDOWS = {
    shown.lower(): windows
    for line in _DISPLAYED.strip().splitlines()
    for shown, _, windows in [line.partition(" = ")]
}


def iana_name(name: str) -> str:
    """The IANA name of a time zone by any of its names; "" for one that is not known, or whose offset belies it."""
    name = name.strip().strip('"')
    if name.lower() in _UTC_NAMES:
        return "UTC"
    shown = _SHOWN.fullmatch(name)
    found = _known(shown["name"] if shown else name)
    if shown is None or not found:
        return found
    return found if _offset(shown) in _offsets(found) else ""


def _known(name: str) -> str:
    if not name or name.lower() in _UTC_NAMES:
        return "UTC"
    windows = _WINDOWS.get(name.lower(), name)
    found = WINDOWS_TO_OLSON.get(windows, windows)
    return found if is_zone(found) else ""


def _offset(shown: re.Match[str]) -> timedelta:
    if not shown["sign"]:
        return timedelta(0)
    ahead = timedelta(hours=int(shown["hours"]), minutes=int(shown["minutes"]))
    return ahead if shown["sign"] == "+" else -ahead


def _offsets(zone: str) -> set[timedelta]:
    """The zone's offsets in winter and in summer: names tell the standard one, some programs the one of the moment."""
    year = datetime(2025, 1, 15, tzinfo=UTC), datetime(2025, 7, 15, tzinfo=UTC)
    return {instant.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0) for instant in year}
