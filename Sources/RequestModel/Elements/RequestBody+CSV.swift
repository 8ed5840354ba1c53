import Foundation
import HTTPMessages

extension RequestBody {
    /// A table as comma-separated values (RFC 4180), written as the engine takes it.
    ///
    /// ```swift
    /// data.body = .csv(header: ["id", "name"], rows: items) { ["\($0.id)", $0.name] }
    /// ```
    /// - Parameters:
    ///   - header: the names of the columns; empty for a table without a header.
    ///   - rows: iterated again for each attempt. If that is not possible, pass an asynchronous sequence.
    ///   - format: separator, guard against formulas, byte order mark.
    ///   - cells: the cells of a row, nil for an empty one. A row with another number of cells than the first line
    ///     fails the request with `HTTPMessageError` (`invalidRow`).
    public static func csv<Rows: Sequence & Sendable>(
        header: [String] = [], rows: Rows, format: CSVFormat = .standard,
        cells: @escaping @Sendable (Rows.Element) -> [String?]
    ) -> RequestBody {
        RequestBody(ElementWriter.csv(header, format, cells).body(of: rows), mediaType: format.mediaType)
    }

    /// A table as comma-separated values of rows as they are made, such as those of a store. The body can be sent only
    /// once.
    ///
    /// The next row is asked for when the engine has taken the one before it. `URLSessionTransport` collects all of
    /// them in a temporary file before it sends the first.
    /// - Parameters:
    ///   - header: the names of the columns; empty for a table without a header.
    ///   - rows: the rows.
    ///   - format: separator, guard against formulas, byte order mark.
    ///   - cells: the cells of a row, nil for an empty one. A row with another number of cells than the first line
    ///     fails the request with `HTTPMessageError` (`invalidRow`).
    public static func csv<Rows: AsyncSequence & Sendable>(
        header: [String] = [], rows: Rows, format: CSVFormat = .standard,
        cells: @escaping @Sendable (Rows.Element) -> [String?]
    ) -> RequestBody {
        RequestBody(ElementWriter.csv(header, format, cells).body(of: rows), mediaType: format.mediaType)
    }
}

extension CSVFormat {
    fileprivate var mediaType: MediaType { separator == .tab ? .tabSeparatedValues : .csv }
}

extension ElementWriter {
    fileprivate static func csv(
        _ header: [String], _ format: CSVFormat, _ cells: @escaping @Sendable (Element) -> [String?]
    ) -> ElementWriter {
        var head = Data(format.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : [])
        if !header.isEmpty { format.write(header.map(Optional.some), to: &head) }
        return ElementWriter(head: head) {
            var columns = header.isEmpty ? nil : header.count
            var number = 0
            return { (element, output) throws(HTTPMessageError) in
                let cells = cells(element)
                number += 1
                let expected = columns ?? cells.count
                columns = expected
                guard cells.count == expected, expected > 0 else {
                    throw HTTPMessageError(
                        .invalidRow,
                        "Row \(number) has \(cells.count) cells, but the table has \(expected) columns; return one "
                            + "cell for each column.")
                }
                format.write(cells, to: &output)
            }
        }
    }
}
