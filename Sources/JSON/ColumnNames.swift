/// Maps JSON member names to column indexes, with a successor cache.
///
/// Rows of one stream usually list their columns in the same order. So the first guess is the column that followed the
/// same predecessor in the previous row; only a wrong guess costs a linear search.
struct ColumnNames: Sendable {
    let count: Int
    /// The names in UTF-8, each followed by a quote.
    private var bytes: [UInt8] = []
    /// Start of each name in `bytes`, and the end of the last one.
    private var starts: [Int] = [0]
    /// False for a name that JSON must escape, so that comparing its raw bytes is not enough.
    private var isPlain: [Bool] = []
    /// Expected next column after each one; the last element is the expected first column of a row.
    private var successors: [Int]

    init(_ names: [String]) {
        count = names.count
        successors = Array(1...max(1, names.count)) + [0]
        for name in names {
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: "\""))
            starts.append(bytes.count)
            isPlain.append(name.utf8.allSatisfy { !$0.needsJSONEscape })
        }
        if count > 0 { successors[count - 1] = 0 }
    }

    /// Reads a quoted member name.
    /// - Parameter previous: the preceding column; nil at the start of a row.
    /// - Returns: the index of the column; nil when no column has that name.
    @inline(__always)
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
