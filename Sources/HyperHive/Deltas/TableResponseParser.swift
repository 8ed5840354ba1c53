import DeltaSync
import JSON
import StoreCore

/// Incremental parser for a response with tables: a state machine without I/O.
///
/// ```json
/// [{"name": "fruits", "insert_rows": [[101, 1, "Apple"]], "delete_ids": [102]}, {"name": "trees", "data": [[7]]}]
/// ```
///
/// The members of a table come in any order; unknown ones are skipped, and null is an empty list. Rows are positional:
/// missing cells are null, too many are an error.
///
/// ```
/// start -> firstTableOrEnd -> table -> firstMemberOrEnd -> member -> list  -> firstItemOrEnd -> item
///                             table <- commaOrEnd <- commaOrBrace <- listOrNull       itemCommaOrEnd
///          firstTableOrEnd or commaOrEnd -> end
/// ```
struct TableResponseParser: Sendable {
    /// What one pass over the response reads; it skips everything else.
    enum Pass: Hashable, Sendable {
        /// Only the names of the tables.
        case names
        /// The rows. In a table whose name has not been read, the pass stops at them with `needsNames`.
        case rows
        /// The identifiers of deleted rows.
        case deletions
    }

    /// Members that the response may have.
    enum Format: Hashable, Sendable {
        /// `data`.
        case full
        /// `insert_rows` and `delete_ids`.
        case delta
        /// All of them.
        case any
    }

    /// Result of a step. `table` is an index into the target's tables.
    enum Event: Hashable, Sendable {
        /// A row, in the cells.
        case row(table: Int)
        /// An identifier of a deleted row, in the first cell.
        case deletion(table: Int)
        /// The end of a list of rows or identifiers.
        case listEnd
        /// Rows are next, and the name of their table follows them; parse the names first.
        case needsNames
        /// The response is complete.
        case end
    }

    enum Items { case rows, identifiers }

    enum Position {
        case start, firstTableOrEnd, table, firstMemberOrEnd, member, commaOrBrace, commaOrEnd, end
        case list(Items)
        case firstItemOrEnd(Items)
        case item(Items)
        case itemCommaOrEnd(Items)
    }

    /// The members of a table object that have been read.
    struct Members: OptionSet {
        let rawValue: Int
        static let name = Members(rawValue: 1)
        static let data = Members(rawValue: 2)
        static let insertions = Members(rawValue: 4)
        static let deletions = Members(rawValue: 8)
    }

    /// Maximum number of table objects, since ``names`` grows with them.
    static let maximumObjectCount = 65_536

    let tables: [ResourceTarget.Table]
    let format: Format
    /// Cells of the widest table.
    let cellCount: Int
    /// True once all bytes of the response have been received.
    var isInputComplete = false

    var position = Position.start
    /// The table of each object read so far; a later pass starts with those of the names pass.
    var names: [Int?] = []
    /// The index of the current object in `names`.
    var object = -1
    var members: Members = []

    init(_ tables: [ResourceTarget.Table], _ format: Format) {
        self.tables = tables
        self.format = format
        cellCount = tables.map(\.schema.columns.count).max() ?? 0
    }

    /// The same state, with the names of a names pass that began in it.
    func continued(with names: [Int?]) -> TableResponseParser {
        var parser = self
        parser.names = names
        return parser
    }

    /// Reads up to the next event of a pass.
    mutating func next(
        _ scanner: inout JSONScanner, _ cells: ScannedCells, _ pass: Pass
    ) throws(JSONScanner.Stop) -> Event {
        while true {
            scanner.commitWhitespace()
            switch position {
            case .list(let items):
                if pass == .rows, case .rows = items, names[object] == nil { return .needsNames }
                try beginList(&scanner, items)
            case .firstItemOrEnd(let items):
                guard !scanner.isAtEnd else { throw scanner.stop(.itemOrEnd) }
                position = scanner.take("]") ? .commaOrBrace : .item(items)
            case .item(let items):
                if let event = try item(&scanner, cells, items, pass) { return event }
            case .itemCommaOrEnd(let items):
                if scanner.take(",") {
                    position = .item(items)
                } else {
                    guard scanner.take("]") else { throw scanner.stop(.commaOrBracket) }
                    position = .commaOrBrace
                    // `take` is not a commit, and a step that delivers the batch must not run again.
                    scanner.commitWhitespace()
                    return .listEnd
                }
            case .end:
                guard scanner.isAtEnd, isInputComplete else { throw scanner.stop(.nothing) }
                return .end
            case .start, .firstTableOrEnd, .table, .firstMemberOrEnd, .member, .commaOrBrace, .commaOrEnd:
                try readTable(&scanner)
            }
        }
    }

    /// Reads a part of the list of tables, or of a table's object outside of its lists.
    private mutating func readTable(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        switch position {
        case .start:
            guard scanner.take("[") else { throw scanner.stop(.tableList) }
            position = .firstTableOrEnd
        case .firstTableOrEnd:
            guard !scanner.isAtEnd else { throw scanner.stop(.tableOrEnd) }
            position = scanner.take("]") ? .end : .table
        case .table:
            guard object + 1 < Self.maximumObjectCount else { throw scanner.stop(.fewerTables) }
            guard scanner.take("{") else { throw scanner.stop(.tableObject) }
            beginObject()
        case .firstMemberOrEnd:
            guard !scanner.isAtEnd else { throw scanner.stop(.memberOrEnd) }
            position = scanner.take("}") ? .commaOrEnd : .member
        case .member: try member(&scanner)
        case .commaOrBrace:
            if scanner.take(",") {
                position = .member
            } else {
                guard scanner.byte == UInt8(ascii: "}") else { throw scanner.stop(.commaOrBrace) }
                guard members == [] || names[object] != nil else { throw scanner.stop(.tableName) }
                _ = scanner.take("}")
                position = .commaOrEnd
            }
        case .commaOrEnd:
            if scanner.take(",") {
                position = .table
            } else {
                guard scanner.take("]") else { throw scanner.stop(.commaOrBracket) }
                position = .end
            }
        case .list, .firstItemOrEnd, .item, .itemCommaOrEnd, .end: break
        }
    }

    private mutating func beginObject() {
        object += 1
        if object == names.count { names.append(nil) }
        members = []
        position = .firstMemberOrEnd
    }
}
