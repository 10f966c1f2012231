"""Whether a place is a country, or a part of one, in which cities lie: who lives in Germany may live in Berlin."""

from __future__ import annotations

import re

_REGIONS = re.compile(
    r"(?:the )?(?:germany|france|spain|portugal|italy|austria|switzerland|poland|norway|sweden|finland|denmark"
    r"|mexico|panama|guatemala|kuwait|quebec|kansas"
    r"|netherlands|belgium|ireland|england|scotland|wales|northern ireland|greece|turkey|india|china|japan"
    r"|(?:south )?korea"
    r"|vietnam|thailand|indonesia|malaysia|philippines|pakistan|bangladesh|australia|new zealand|canada"
    r"|brazil|argentina"
    r"|chile|colombia|peru|usa?|u\.s\.a?\.?|america|united states(?: of america)?|uk|u\.k\.|united kingdom"
    r"|(?:great )?britain"
    r"|ukraine|russia|estonia|latvia|lithuania|czechia|czech republic|slovakia|slovenia|hungary|romania"
    r"|bulgaria|serbia"
    r"|croatia|bosnia|albania|israel|egypt|morocco|nigeria|kenya|ghana|ethiopia|south africa|iran|iraq"
    r"|saudi arabia|uae"
    r"|emirates|taiwan|iceland|cyprus|malta|europe|asia|africa|north america|south america|bavaria|saxony"
    r"|hesse|catalonia"
    r"|tuscany|normandy|brittany|california|texas|florida|oregon|ohio|michigan|illinois|massachusetts"
    r"|pennsylvania|virginia"
    r"|colorado|arizona|nevada|utah|minnesota|new jersey|north carolina|ontario|british columbia|alberta|victoria"
    r"|new south wales|queensland|bay area|zhejiang|jiangsu|guangdong|sichuan|hubei|fujian)"
    r"|(?:中国|祖国|大陆|国外|海外|日本|韩国|美国|英国|德国|法国|加拿大|澳大利亚|澳洲|新西兰|泰国|马来西亚"
    r"|越南|印度|印尼|瑞士|瑞典|荷兰"
    r"|西班牙|意大利|俄罗斯|葡萄牙|爱尔兰|芬兰|挪威|丹麦|比利时|奥地利|波兰|捷克|匈牙利|希腊|土耳其|巴西"
    r"|墨西哥|埃及|南非|欧洲|北美|东南亚"
    r"|东北|湾区|巴伐利亚|加州|台湾|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南"
    r"|广东|海南|四川|贵州|云南|陕西"
    r"|甘肃|青海|内蒙古?|广西|西藏|宁夏|新疆)(?:省|那边|这边)?",
    re.IGNORECASE,
)


def is_region(place: str) -> bool:
    """Whether a place is a country or a part of one, and no city."""
    return _REGIONS.fullmatch(" ".join(place.split())) is not None
