/// A table: its columns, the rows that are deleted, and the ways to find a row.
///
/// Rows have places that never change while a transaction is under way: a deleted row leaves a tombstone, and
/// ``compact()`` takes it away later. Rows stand in the order of their rowids unless ``isOrdered`` is false.
struct MemoryTable: SQLSource, Sendable {
    /// A unique constraint and the hash that finds its rows.
    struct Key: Sendable {
        let columns: [Int]
        var index: HashIndex
    }

    var definition: MemoryTableDefinition
    /// What hashes keys and rowids.
    let seed: HashSeed
    /// Where the table is among the database's tables.
    let slot: Int
    /// What the table is called in the journal, where names may change.
    let id: UInt32
    /// The rowid of the table's row in `sqlite_master`.
    let catalogRowid: Int64
    /// The cells. The column that is the rowid has none: see ``rowids``.
    var columns: [MemoryColumn]
    private(set) var rowids: [Int64] = []
    /// A bit for each row that is deleted.
    private(set) var tombstones: [UInt64] = []
    private(set) var tombstoneCount = 0
    private(set) var isOrdered = true
    /// How many rows were added out of order, and how often the table was read so.
    private var strayCount = 0
    private var strayReads = 0
    /// Finds rows by their rowids, as soon as these are out of order; until then they are searched.
    private(set) var rowidIndex: HashIndex?
    var keys: [Key]
    /// How many places there may be. An answer, and an order, have their rows in 32 bits.
    var maximumPlaceCount = Int(Int32.max)
    /// The largest rowid; nil when it has to be looked for.
    private var largestRowid: Int64?

    init(_ definition: MemoryTableDefinition, slot: Int, id: UInt32, catalogRowid: Int64, seed: HashSeed) {
        self.seed = seed
        self.definition = definition
        self.slot = slot
        self.id = id
        self.catalogRowid = catalogRowid
        columns = definition.affinities.map { _ in MemoryColumn() }
        keys = definition.uniqueKeys.map { Key(columns: $0, index: HashIndex(seed)) }
    }

    /// How many places there are, tombstones included.
    var placeCount: Int { rowids.count }
    var rowCount: Int { rowids.count - tombstoneCount }

    // MARK: Reading

    func value(row: Int, column: Int) -> SQLValue {
        column == definition.rowidColumn ? .integer(rowids[row]) : columns[column].value(at: row)
    }

    func rowid(row: Int) -> Int64 { rowids[row] }

    func isLive(_ row: Int) -> Bool { tombstoneCount == 0 || tombstones[row >> 6] >> UInt64(row & 63) & 1 == 0 }

    /// The cell of a row, its bytes in the column's arena.
    func cell(row: Int, column: Int) -> RowBatch.Cell {
        column == definition.rowidColumn
            ? RowBatch.Cell(bits: UInt64(bitPattern: rowids[row]), kind: .integer) : columns[column].cell(at: row)
    }

    /// The row of a rowid.
    func row(rowid: Int64) -> Int? {
        guard let row = place(rowid: rowid), isLive(row) else { return nil }
        return row
    }

    /// The place of a rowid. It may be a tombstone's.
    private func place(rowid: Int64) -> Int? {
        if let rowidIndex {
            return rowidIndex.row(hash: seed.hash(UInt64(bitPattern: rowid))) { rowids[$0] == rowid }
        }
        guard let first = rowids.first, let last = rowids.last, first <= rowid, rowid <= last else { return nil }
        // Most rowids are without gaps; then there is nothing to look at.
        let (guess, isOverflow) = rowid.subtractingReportingOverflow(first)
        if !isOverflow, guess < rowids.count {
            if last &- first == rowids.count - 1 || rowids[Int(guess)] == rowid { return Int(guess) }
        }
        var (low, high) = (0, rowids.count - 1)
        while low <= high {
            let middle = (low + high) / 2
            if rowids[middle] == rowid { return middle }
            if rowids[middle] < rowid { low = middle + 1 } else { high = middle - 1 }
        }
        return nil
    }

    /// The rowid that a row gets which asks for none: one more than the largest, which may be negative.
    mutating func nextRowid() throws(StoreError) -> Int64 {
        guard rowCount > 0 else { return 1 }
        let largest = largestRowid ?? foundLargestRowid
        largestRowid = largest
        guard largest < .max else { throw StoreError(.full, "Table is full: the largest rowid is in use.") }
        return largest + 1
    }

    /// True when ``nextRowid()`` would have to look at every row.
    var isNextRowidFar: Bool { largestRowid == nil && !isOrdered }

    private var foundLargestRowid: Int64 {
        guard isOrdered else {
            var largest = Int64.min
            for row in 0..<placeCount where isLive(row) { largest = max(largest, rowids[row]) }
            return largest
        }
        // The last one that is there, found 64 places at a time.
        var word = tombstones.count - 1
        let unused = (UInt64.max << UInt64((placeCount - 1) & 63)) << 1
        var live = ~(tombstones[word] | unused)
        while live == 0, word > 0 {
            word -= 1
            live = ~tombstones[word]
        }
        return rowids[word * 64 + 63 - live.leadingZeroBitCount]
    }

    // MARK: Places

    /// Adds a row at the end, or where a tombstone has its rowid. Its cells come next, for each column one.
    /// - Returns: the place, and whether its cells are to be set or appended.
    mutating func makePlace(rowid: Int64, _ undo: inout UndoLog) throws(StoreError) -> (row: Int, isNew: Bool) {
        let taken = place(rowid: rowid)
        guard taken != nil || placeCount < maximumPlaceCount else {
            throw StoreError(
                .full, "Table is full: \(definition.name.text) (capacity \(maximumPlaceCount) rows).")
        }
        if rowCount == 0 {
            largestRowid = rowid
        } else if let largest = largestRowid {
            largestRowid = max(largest, rowid)
        }
        if let row = taken {
            undo.willRevive(row, of: self)
            bury(row, false)
            return (row, false)
        }
        let row = rowids.count
        appendPlace(rowid)
        undo.didInsert(row, into: slot)
        return (row, true)
    }

    private mutating func appendPlace(_ rowid: Int64) {
        let row = rowids.count
        if row & 63 == 0 { tombstones.append(0) }
        if let last = rowids.last, rowid < last {
            if isOrdered { loseOrder() }
            strayCount += 1
        }
        rowids.append(rowid)
        rowidIndex?.insert(row, hash: seed.hash(UInt64(bitPattern: rowid)))
    }

    private mutating func loseOrder() {
        isOrdered = false
        var index = HashIndex(seed)
        index.reserve(rowCount)
        for row in 0..<placeCount where isLive(row) {
            index.insert(row, hash: seed.hash(UInt64(bitPattern: rowids[row])))
        }
        rowidIndex = index
    }

    /// Sets or takes away a row's tombstone. The unique keys are the caller's business.
    mutating func bury(_ row: Int, _ isDead: Bool) {
        tombstones[row >> 6] ^= 1 << UInt64(row & 63)
        tombstoneCount += isDead ? 1 : -1
        let hash = seed.hash(UInt64(bitPattern: rowids[row]))
        if isDead { rowidIndex?.remove(row, hash: hash) } else { rowidIndex?.insert(row, hash: hash) }
        noteLargest(rowids[row], isGone: isDead)
    }

    private mutating func noteLargest(_ rowid: Int64, isGone: Bool) {
        if isGone {
            if largestRowid == rowid { largestRowid = nil }
        } else if let largest = largestRowid {
            largestRowid = max(largest, rowid)
        }
    }

    /// Takes away the last place.
    mutating func removeLastPlace() {
        let row = rowids.count - 1
        let rowid = rowids[row]
        rowidIndex?.remove(row, hash: seed.hash(UInt64(bitPattern: rowid)))
        rowids.removeLast()
        if row & 63 == 0 { tombstones.removeLast() }
        for column in columns.indices where column != definition.rowidColumn { columns[column].removeLast() }
        noteLargest(rowid, isGone: true)
    }

    mutating func setRowid(_ rowid: Int64, at row: Int) {
        guard rowids[row] != rowid else { return }
        if isOrdered { loseOrder() }
        strayCount += 1
        rowidIndex?.remove(row, hash: seed.hash(UInt64(bitPattern: rowids[row])))
        noteLargest(rowids[row], isGone: true)
        rowids[row] = rowid
        rowidIndex?.insert(row, hash: seed.hash(UInt64(bitPattern: rowid)))
        noteLargest(rowid, isGone: false)
    }

    mutating func reserve(_ rows: Int) {
        if placeCount + rows > rowids.capacity { rowids.reserveCapacity(max(placeCount + rows, placeCount * 2)) }
        for column in columns.indices where column != definition.rowidColumn { columns[column].reserve(rows) }
    }

    // MARK: Order

    /// The rows that are there, in the order of their rowids.
    func orderedRows() -> [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(rowCount)
        for row in 0..<placeCount where isLive(row) { rows.append(Int32(truncatingIfNeeded: row)) }
        if !isOrdered { order(&rows) }
        return rows
    }

    func order(_ rows: inout [Int32]) { rows.sort { rowids[Int($0)] < rowids[Int($1)] } }

    /// True when the table was read out of order so often, or has so many rows that are, that bringing it into order
    /// costs no more than that. It is noted that the table is read.
    mutating func wantsOrder() -> Bool {
        guard !isOrdered else { return false }
        strayReads += 1
        return strayReads > 4 || strayCount > placeCount / 16
    }

    /// True when a good part of the table is waste.
    var wantsCompaction: Bool {
        if tombstoneCount > 64, tombstoneCount * 2 > placeCount { return true }
        if tombstoneCount > 0, placeCount == maximumPlaceCount { return true }
        return columns.contains { $0.deadBytes > 1 << 16 && $0.deadBytes * 2 > $0.arena.count }
    }

    /// Takes away tombstones and unused bytes, and brings the rows into order. All places change.
    mutating func compact() {
        let rows = orderedRows()
        for column in columns.indices where column != definition.rowidColumn {
            columns[column] = columns[column].gathered(rows)
        }
        rowids = rows.map { rowids[Int($0)] }
        tombstones = [UInt64](repeating: 0, count: (rows.count + 63) / 64)
        tombstoneCount = 0
        isOrdered = true
        (strayCount, strayReads) = (0, 0)
        rowidIndex = nil
        rebuildKeys()
    }
}
