/** Characters that read as ASCII ones, or that only imitate them (pipeline.md §5, H-10). Data only. */

/**
 * Single characters of the scripts that are shown, each a near twin of an ASCII letter, digit or
 * sign; by number, because a reader of this file could not tell them apart either. The forms that
 * Unicode itself maps to ASCII (fullwidth, mathematical …) need no row here.
 */
export const CONFUSABLES: ReadonlySet<string> = new Set(
  [
    // Latin without a diacritic that would tell it apart
    '\u0131\u0237\u0138\u0184\u0185\u0196\u01a6\u01a7\u01a8\u01bc\u01bd\u01bf\u01c0\u01c1',
    '\u01c2\u01c3\u021c\u021d\u0222\u0223',
    // Greek
    '\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7',
    '\u03f9\u037f\u03dc\u03fa\u03b1\u03b2\u03b3\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1',
    '\u03c3\u03c4\u03c5\u03c7\u03c9\u03f1\u03f3\u03f8',
    // Cyrillic
    '\u0410\u0412\u0415\u0405\u0417\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422',
    '\u0423\u0425\u042c\u04ae\u04ba\u04c0\u0500\u050c\u051a\u051c\u0474\u0411\u0430\u0433',
    '\u0431\u0435\u0437\u043a\u0456\u0458\u043e\u043f\u0440\u0441\u0443\u0445\u044c\u0455',
    '\u04bb\u04cf\u0501\u050d\u051b\u051d\u0475\u0461\u04af\u04b1',
    // Armenian
    '\u053c\u0548\u054d\u054f\u0555\u0561\u0563\u0566\u0570\u0575\u0578\u057d\u0581\u0582',
    '\u0584\u0585',
    // Georgian
    '\u10e7\u10ff\u10d8',
    // Han, kana and their marks
    '\u4e00\u4e28\u4e36\u4e3f\u3007\u5de5\u535c\u53e3\u30ce\u30cb\u30ed\u30cf\u30d8\u3078',
    '\u30fc',
    // Letters that are a ring or a cup
    '\u0d20\u0b20\u101d\u12d0\u1200',
    // Quotes, dashes and dots that ordinary prose uses
    '\u201c\u201d\u2018\u2019\u2014\u2013\u2026\u00b7',
  ].join(''),
)

/** Inverted marks, section, copyright, currency and CJK brackets: ordinary, and no twin of ASCII. */
export const PLAIN_SIGNS: ReadonlySet<string> = new Set(
  [
    '\u00a1\u00bf\u00a7\u00a9\u00ae\u20ac\u00a3\u3001\u3002\u300c\u300d\u300e\u300f\u3010\u3011\u3006',
  ].join(''),
)

/** Letters of these scripts are shown; every other script is escaped as a whole (UAX 31, table 5). */
export const SHOWN_LETTER: RegExp =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Ethiopic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}]$/u

/** Marks of these scripts are part of ordinary spelling; all other marks are escaped. */
export const SHOWN_MARK: RegExp =
  /^[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}]$/u

/**
 * Code points that never pass, whatever their script: right-to-left blocks, which reorder what stands
 * beside them; phonetic and historic Latin and Cyrillic, which imitate; Hangul parts, which join.
 */
export const NEVER_SHOWN: readonly (readonly [from: number, to: number])[] = [
  [0x0250, 0x036f],
  [0x0590, 0x08ff],
  [0x10a0, 0x10cf],
  [0x1100, 0x11ff],
  [0x1c80, 0x1c8f],
  [0x1d00, 0x1dbf],
  [0x2c60, 0x2c7f],
  [0x2de0, 0x2dff],
  [0xa640, 0xa69f],
  [0xa720, 0xa7ff],
  [0xa960, 0xa97f],
  [0xab30, 0xab6f],
  [0xd7b0, 0xd7ff],
  [0xfb00, 0xfdff],
  [0xfe70, 0xfeff],
  [0x10780, 0x10fff],
  [0x1df00, 0x1dfff],
  [0x1e030, 0x1e08f],
  [0x1e800, 0x1efff],
]
