"""What a section, run-in or sentence is about: measuring, training, using or describing the drafter."""

import re

_USAGE = re.compile(
    r"\b(?:usage|uses?|quick\s?start|get(?:ting)? started|serv(?:e|ing)|launch|deploy\w*"
    r"|install\w*|how to|example|run(?:ning)? (?:it|with)|inference with|requirements|server"
    r"|running)\b|使用|部署|快速开始|安装|使い方|사용",
    re.IGNORECASE,
)
_TRAINING = re.compile(
    r"\b(?:train\w*|fine-?tun\w*|distill\w*|(?<!raw )data(?! of)(?: mix)?|dataset|recipe|hyper-?param\w*)\b"
    r"|训练|数据|学習|データ|학습|데이터",
    re.IGNORECASE,
)
_SPEC = re.compile(
    r"\b(?:architecture|specifications?|model (?:details|specs?|info\w*|description|overview)"
    r"|config\.json|files|limitations?|license|citation)\b|架构|模型信息",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:eval\w*|benchmark\w*|performance|results?|measur\w*|tested|test|validation|throughput"
    r"|speed\w*|accept\w*|infer[a-z]*ce settings)\b|性能|评测|测试|结果|接受|評価|性能|結果|평가|성능|결과",
    re.IGNORECASE,
)
SETTINGS_RE = re.compile(
    r"^\W{0,4}(?:(?:[\w-]{1,14}\s){0,3}(?:setup|settings?|config(?:uration)?s?|conditions?"
    r"|environment|protocol|methodology)|run on|run with|ran on|evaluated|measured|tested"
    r"|benchmarked"
    r"|test(?:ed)? (?:on|with)|engine|hardware|target model|verifier|inferenc\w{1,6} (?:framework"
    r"|backend)|inferencing framework|framework|gpus?|server|environment|(?:judge|eval(?:uation)?"
    r"|test) set|decoding|sampling|all (?:numbers|figures|results|runs)|(?:numbers|figures"
    r"|results) (?:are|were|below)|hardware|配置|环境|测试(?:环境|条件|配置)|硬件)\b"
    r"|(?:测试|评测|实验)(?:环境|条件|配置|设置)",
    re.IGNORECASE,
)
"""A heading, run-in or line that says it gives the settings of the runs."""
_TRAINED = re.compile(
    r"^\W{0,4}(?:training )?data\b|\b(?:(?:re|pre-?)?trained|training(?! (?:distribution"
    r"|view|split|set))|fine-?tuned|distilled|pre-?trained)\b|训练|学習|학습",
    re.IGNORECASE,
)


def place_of(heading: str) -> str:
    """Return what a section is about: "measured", "training", "usage", "spec" or ""."""
    for name, pattern in (("measured", _MEASURED), ("training", _TRAINING), ("usage", _USAGE), ("spec", _SPEC)):
        if pattern.search(heading):
            if (
                name == "measured"
                and _TRAINING.search(heading)
                and not re.search(r"valid|result|eval", heading, re.IGNORECASE)
            ):
                continue
            return name
    return ""


def about_training(sentence: str) -> bool:
    """Whether a sentence tells how the drafter was trained, not how it was measured."""
    return bool(_TRAINED.search(sentence)) and not _MEASURED.search(sentence)
