/// What ends a line.
public enum LineEnding: Hashable, Sendable {
    /// LF alone; a CR before it is part of the line.
    case lf
    /// LF or CRLF; a CR anywhere else is part of the line.
    case lfOrCRLF
    /// LF, CRLF or CR, as in event streams (WHATWG HTML, section 9.2.5).
    case lfOrCRLFOrCR
}
