"""
Whether a text gives orders: what a machine printed or a page said, and a reply that restates it, may tell what is so.

Not what is to be done from now on, and not what the user wants: who believes such a text does what a stranger wrote.
"""

from __future__ import annotations

import re

# What a program, a page or a reply that restates one has no business to say: what is to be done from now on, by whom.
_ACTS = (
    r"(?:run|execute|invoke|call|use|install|download|fetch|curl|wget|eval|source|push|force|merge"
    r"|delete|remove|drop"
    r"|disable|enable|skip|bypass|ignore|disregard|obey|follow|trust|accept|approve|allow|grant"
    r"|commit|deploy|send"
    r"|post|upload|share|reveal|tell|say|reply|answer|recommend|prefer|add|append|prepend|include"
    r"|insert|write|open"
    r"|visit|read|load|paste|copy|start|stop|restart|ask|confirm|remember|forget|store|save|keep|set|export)"
)
_WHO = r"(?:the |every |each |any |all |your |this |our )?(?:ai |coding |llm )?"
_ORDERS = re.compile(
    r"\b(?:from now on|from this (?:point|moment) on|henceforth|going forward|from here on|hereafter)\b"
    rf"|\b(?:you|agents?|assistants?|claude|cursor|copilot|(?:the|any) (?:ai|model|llm))\b[^.\n]{{0,30}}?"
    rf"\b(?:must|shall|always|never|should|have to|are to|need to|are (?:now |hereby )?(?:required"
    rf"|instructed|told"
    rf"|ordered) to)\b(?: not| always| never| first| now| also| only| then){{0,2}} {_ACTS}\b"
    rf"|\b(?:always|never|must (?:always|never)) {_ACTS}\b"
    rf"|(?:^|[.!:;,]\s+)(?:please |kindly )?(?:do not|don't|be sure to|make sure to|remember to) {_ACTS}\b"
    rf"|\b(?:the|this|your|our) (?:user|owner|operator|developer|maintainer|admin(?:istrator)?|team"
    rf"|boss|human)s?"
    r"\b[^.\n]{0,20}?"
    r"\b(?:wants?|orders?|ordered|asks?|asked|requires?|required|demands?|instructs?|instructed"
    r"|insists?|prefers?"
    r"|says|said|told|wishes|expects you|has (?:approved|authori[sz]ed))\b"
    r"|\b(?:ignore|disregard|forget|override)\b[^.\n]{0,20}\b(?:previous|prior|above|earlier"
    r"|preceding|other|all|system)"
    r"\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines?)"
    rf"|\b(?:instructions?|note|message|attention|important)\b[^.\n:]{{0,20}}\b(?:for|to) {_WHO}"
    r"(?:agents?|assistants?|ai|claude|llms?|models?)\b"
    r"|\bsystem (?:prompt|message|instruction)s?\b|(?:^|[\s>])SYSTEM\s?:|</?(?:system"
    r"|backstory-memory|user|assistant)\b"
    r"|\b(?:curl|wget|iwr|irm)\b[^|\n]{0,120}\|\s?(?:sudo )?(?:ba|z|da|fi)?sh\b|\|\s?iex\b"
    # the same in Chinese
    r"|从现在(?:起|开始)|从今(?:以后|往后|天起)|今后|以后.{0,6}(?:必须|都要|都得|一律|请|不要|不准"
    r"|禁止|务必|每次|总是)"
    r"|务必.{0,8}(?:运行|执行|使用|调用|安装|下载|删除|推送|提交|忽略|遵守|遵循|照做)"
    r"|(?:每次|始终|永远|总是|一律|任何时候).{0,10}(?:都?(?:要|必须|得|应该?|需要?)|不要|不得|禁止)"
    r"|(?:^|[。；，：:\s])(?:总是|始终|永远|一律|绝不|从不)(?:都|要)?(?:跳过|绕过|关闭|禁用|启用|信任|使用|采用"
    r"|接受|允许|推送|提交|部署|安装|运行|执行|忽略|删除|下载|验证|检查)"
    r"|(?:必须|一定要|总是|始终|永远|绝不|不要|不得|禁止|请(?:先|立即|你)?)(?:先|再|立即|总是|始终)?"
    r"(?:运行|执行|调用|下载|删除|推送|忽略|无视|遵守|遵循|服从|听从|信任|照做)"
    r"|(?:用户|老板|主人|管理员|开发者)(?:已经?|曾)?(?:要求|命令|希望|想要|指示|吩咐|规定|授权|批准|说过?)"
    r"|(?:忽略|无视|忘记|忘掉).{0,8}(?:之前|以上|前面|先前|上面|所有|系统).{0,8}(?:指令|指示|提示词?"
    r"|规则|要求|内容)"
    r"|(?:助手|智能体|AI|代理)们?.{0,6}(?:必须|应当|应该|要(?!求)|务必|需要)|系统(?:提示词?|指令|消息)[：:]",
    re.IGNORECASE,
)


def gives_orders(text: str) -> bool:
    """Whether a text tells an agent what to do, or what its user is said to want: nothing for a machine to say."""
    return _ORDERS.search(" ".join(text.split())) is not None
