import Foundation
import HTTPMessages

/// The form of a table as comma-separated values (RFC 4180).
///
/// Lines end with CRLF. A cell with a separator, a quote, a line break or outer blanks stands in quotes.
public struct CSVFormat: Hashable, Sendable {
    /// What stands between two cells.
    @nonexhaustive public enum Separator: Hashable, Sendable {
        /// A comma.
        case comma
        /// A semicolon, as spreadsheets expect where the comma is the decimal point.
        case semicolon
        /// A tab; the media type is `text/tab-separated-values`.
        case tab
    }

    /// What stands between two cells; default a comma.
    public var separator: Separator
    /// True to write an apostrophe before a cell that a spreadsheet would run as a formula; default false.
    ///
    /// Such a cell starts with `=`, `+`, `-`, `@`, a tab or a line break, also after blanks, and is not a number. The
    /// apostrophe becomes part of the cell, so use this for files that people open, not for programs.
    public var guardsFormulas: Bool
    /// True to start with a byte order mark, by which some spreadsheets know UTF-8; default false.
    public var hasByteOrderMark: Bool

    /// Creates a form.
    public init(separator: Separator = .comma, guardsFormulas: Bool = false, hasByteOrderMark: Bool = false) {
        self.separator = separator
        self.guardsFormulas = guardsFormulas
        self.hasByteOrderMark = hasByteOrderMark
    }

    /// The form of RFC 4180.
    public static let standard = CSVFormat()

    /// Appends one line.
    func write(_ cells: some Sequence<String?>, to output: inout Data) {
        var isFirst = true
        var isEmptyLine = true
        for cell in cells {
            if !isFirst {
                output.append(separator.byte)
                isEmptyLine = false
            }
            isFirst = false
            guard let cell, !cell.isEmpty else { continue }
            isEmptyLine = false
            let text = guardsFormulas && cell.isFormula ? "'" + cell : cell
            guard text.needsQuotes(separator: separator.byte) else {
                output.append(contentsOf: text.utf8)
                continue
            }
            output.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") { output.append(byte) }
                output.append(byte)
            }
            output.append(UInt8(ascii: "\""))
        }
        // A single empty cell would be a blank line, which readers skip.
        if isEmptyLine, !isFirst { output.append(contentsOf: "\"\"".utf8) }
        output.append(contentsOf: [0x0D, 0x0A])
    }
}

extension CSVFormat.Separator {
    var byte: UInt8 {
        switch self {
        case .comma: UInt8(ascii: ",")
        case .semicolon: UInt8(ascii: ";")
        case .tab: 0x09
        }
    }
}

extension String {
    fileprivate func needsQuotes(separator: UInt8) -> Bool {
        let outer = [utf8.first, utf8.last]
        return outer.contains(0x20) || outer.contains(0x09)
            || utf8.contains { $0 == separator || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
    }

    /// True for text that spreadsheets run: it starts with a sign of a formula, also a full-width one, and is not a
    /// number.
    fileprivate var isFormula: Bool {
        let start = unicodeScalars.drop { $0 == " " }
        guard let first = start.first else { return false }
        switch first {
        case "+", "-": return Double(self) == nil || utf8.contains { $0 | 0x20 == UInt8(ascii: "n") }
        case "=", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
        default: return false
        }
    }
}
