/// The names of a row's columns, to be recognised in JSON.
///
/// Rows of one stream have their columns in one order, whatever it is. So the name that is tried first is the one that
/// followed the same column in the row before; only when it is another are the names searched.
package struct ColumnNames: Sendable {
    let count: Int
    /// The names in UTF-8, each with a quote behind it.
    private var bytes: [UInt8] = []
    /// Where each name starts, and where the last one ends.
    private var starts: [Int] = [0]
    /// False for a name that JSON may have to escape, whose bytes prove nothing.
    private var isPlain: [Bool] = []
    /// The column that is expected behind each one, and, as the last element, at the start of a row.
    private var successors: [Int]

    package init(_ names: [String]) {
        count = names.count
        successors = Array(1...max(1, names.count)) + [0]
        for name in names {
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: "\""))
            starts.append(bytes.count)
            isPlain.append(name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        }
        if count > 0 { successors[count - 1] = 0 }
    }

    /// Reads a name in quotes.
    /// - Parameter previous: the column before; nil at the start of a row.
    /// - Returns: the column of that name; nil when there is none.
    mutating func read(
        from scanner: inout JSONScanner, after previous: Int?
    ) throws(JSONScanner.Stop) -> Int? {
        let place = previous ?? count
        let guess = successors[place]
        if guess < count, isPlain[guess] {
            let isRight = bytes.withUnsafeBufferPointer { bytes in
                scanner.takeQuoted(UnsafeBufferPointer(rebasing: bytes[starts[guess]..<starts[guess + 1]]))
            }
            if isRight { return guess }
        }
        let name = try scanner.string()
        let column = (0..<count).first { column in
            bytes[starts[column]..<starts[column + 1] - 1].elementsEqual(name)
        }
        if let column { successors[place] = column }
        return column
    }
}
