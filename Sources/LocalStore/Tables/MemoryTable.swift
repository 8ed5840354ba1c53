import StoreCore

/// A column-store table: columns, a tombstone bitmap, and hash indexes for rowids and unique keys.
///
/// A row's number is stable during a transaction: a deleted row leaves a tombstone, which ``compact()`` removes later.
/// Rows are stored in rowid order unless ``isOrdered`` is false.
struct MemoryTable: SQLSource, Sendable {
    /// A unique constraint and its hash index.
    struct Key: Sendable {
        let columns: [Int]
        var index: HashIndex
    }

    var definition: MemoryTableDefinition
    /// Seed of the hashes of keys and rowids.
    let seed: HashSeed
    /// Index of the table in ``MemoryDatabase/tables``.
    let slot: Int
    /// The table's identity in the journal, where names may change.
    var id: UInt32
    /// The rowid of the table's row in `sqlite_master`.
    let catalogRowid: Int64
    /// The columns. The one that aliases the rowid is empty: see ``rowids``.
    var columns: [MemoryColumn]
    private(set) var rowids: [Int64] = []
    /// A bitmap of deleted rows.
    private(set) var tombstones: [UInt64] = []
    private(set) var tombstoneCount = 0
    private(set) var isOrdered = true
    /// Rows stored out of rowid order, and scans of the table since then.
    private var outOfOrderRowCount = 0
    private var outOfOrderScanCount = 0
    /// Hash index of rowids, built once they are out of order; until then a binary search suffices.
    private(set) var rowidIndex: HashIndex?
    var keys: [Key]
    /// Maximum number of physical rows; row numbers have 32 bits in result sets and sorts.
    var capacity = Int(Int32.max)
    /// Cached largest rowid; nil if it must be searched for.
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

    /// Number of rows, tombstones included.
    var physicalRowCount: Int { rowids.count }
    var rowCount: Int { rowids.count - tombstoneCount }

    // MARK: Reading

    func value(row: Int, column: Int) -> SQLValue {
        column == definition.rowidColumn ? .integer(rowids[row]) : columns[column].value(at: row)
    }

    func rowid(row: Int) -> Int64 { rowids[row] }

    func rowidValue(row: Int) -> SQLValue { .integer(rowids[row]) }

    func isLive(_ row: Int) -> Bool { tombstoneCount == 0 || tombstones[row >> 6] >> UInt64(row & 63) & 1 == 0 }

    /// A row's cell; its bytes are in the column's arena.
    func cell(row: Int, column: Int) -> RowBatch.Cell {
        column == definition.rowidColumn
            ? RowBatch.Cell(bits: UInt64(bitPattern: rowids[row]), kind: .integer) : columns[column].cell(at: row)
    }

    /// The live row with a rowid.
    func row(rowid: Int64) -> Int? {
        guard let row = physicalRow(rowid: rowid), isLive(row) else { return nil }
        return row
    }

    /// The row with a rowid, live or tombstone.
    private func physicalRow(rowid: Int64) -> Int? {
        if let rowidIndex {
            return rowidIndex.row(hash: seed.hash(UInt64(bitPattern: rowid))) { rowids[$0] == rowid }
        }
        guard let first = rowids.first, let last = rowids.last, first <= rowid, rowid <= last else { return nil }
        // Interpolation first: most rowids have no gaps, so the guess hits. Otherwise a binary search.
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

    /// The rowid for a row without one: the largest plus one. The largest may be negative.
    mutating func nextRowid() throws(StoreError) -> Int64 {
        guard rowCount > 0 else { return 1 }
        let largest = largestRowid ?? scannedLargestRowid
        largestRowid = largest
        return largest < .max ? largest + 1 : try randomRowid()
    }

    /// A free rowid for a table whose largest rowid is in use: as in SQLite, a random one of 62 bits
    /// (sqlite.org/autoinc.html).
    private func randomRowid() throws(StoreError) -> Int64 {
        for _ in 0..<100 {
            let rowid = Int64.random(in: 1...(.max >> 1) + 1)
            if row(rowid: rowid) == nil { return rowid }
        }
        throw StoreError(.full, "Table is full: found no unused rowid; insert with an explicit rowid.")
    }

    /// True if ``nextRowid()`` needs a scan of all rows.
    var isNextRowidExpensive: Bool { largestRowid == nil && !isOrdered }

    private var scannedLargestRowid: Int64 {
        guard isOrdered else {
            var largest = Int64.min
            for row in 0..<physicalRowCount where isLive(row) { largest = max(largest, rowids[row]) }
            return largest
        }
        // Ordered: the last live row, found in the tombstone bitmap 64 rows at a time.
        var word = tombstones.count - 1
        let unused = (UInt64.max << UInt64((physicalRowCount - 1) & 63)) << 1
        var live = ~(tombstones[word] | unused)
        while live == 0, word > 0 {
            word -= 1
            live = ~tombstones[word]
        }
        return rowids[word * 64 + 63 - live.leadingZeroBitCount]
    }

    // MARK: Physical rows

    /// Allocates a row: at the end, or a tombstone with the same rowid. The caller then writes one cell per column.
    /// - Returns: the row, and whether its cells are to be appended or set.
    mutating func allocateRow(rowid: Int64, _ undo: inout UndoLog) throws(StoreError) -> (row: Int, isNew: Bool) {
        let reusable = physicalRow(rowid: rowid)
        guard reusable != nil || physicalRowCount < capacity else {
            throw StoreError(
                .full,
                "Table \(definition.name.text) is full (capacity \(capacity) rows); delete rows before inserting more.")
        }
        undo.lastInsertedRowid = rowid
        if rowCount == 0 {
            largestRowid = rowid
        } else if let largest = largestRowid {
            largestRowid = max(largest, rowid)
        }
        if let row = reusable {
            undo.willRevive(row, of: self)
            setDeleted(row, false)
            return (row, false)
        }
        let row = rowids.count
        appendRow(rowid)
        undo.didInsert(row, into: slot)
        return (row, true)
    }

    private mutating func appendRow(_ rowid: Int64) {
        let row = rowids.count
        if row & 63 == 0 { tombstones.append(0) }
        if let last = rowids.last, rowid < last {
            if isOrdered { switchToRowidIndex() }
            outOfOrderRowCount += 1
        }
        rowids.append(rowid)
        rowidIndex?.insert(row, hash: seed.hash(UInt64(bitPattern: rowid)))
    }

    private mutating func switchToRowidIndex() {
        isOrdered = false
        var index = HashIndex(seed)
        index.reserve(rowCount)
        for row in 0..<physicalRowCount where isLive(row) {
            index.insert(row, hash: seed.hash(UInt64(bitPattern: rowids[row])))
        }
        rowidIndex = index
    }

    /// Sets or clears a row's tombstone. The caller updates the unique keys.
    mutating func setDeleted(_ row: Int, _ isDeleted: Bool) {
        tombstones[row >> 6] ^= 1 << UInt64(row & 63)
        tombstoneCount += isDeleted ? 1 : -1
        let hash = seed.hash(UInt64(bitPattern: rowids[row]))
        if isDeleted { rowidIndex?.remove(row, hash: hash) } else { rowidIndex?.insert(row, hash: hash) }
        updateLargestRowid(rowids[row], isRemoved: isDeleted)
    }

    private mutating func updateLargestRowid(_ rowid: Int64, isRemoved: Bool) {
        if isRemoved {
            if largestRowid == rowid { largestRowid = nil }
        } else if let largest = largestRowid {
            largestRowid = max(largest, rowid)
        }
    }

    /// Removes the last physical row.
    mutating func removeLastRow() {
        let row = rowids.count - 1
        let rowid = rowids[row]
        rowidIndex?.remove(row, hash: seed.hash(UInt64(bitPattern: rowid)))
        rowids.removeLast()
        if row & 63 == 0 { tombstones.removeLast() }
        for column in columns.indices where column != definition.rowidColumn { columns[column].removeLast() }
        updateLargestRowid(rowid, isRemoved: true)
    }

    mutating func setRowid(_ rowid: Int64, at row: Int) {
        guard rowids[row] != rowid else { return }
        if isOrdered { switchToRowidIndex() }
        outOfOrderRowCount += 1
        rowidIndex?.remove(row, hash: seed.hash(UInt64(bitPattern: rowids[row])))
        updateLargestRowid(rowids[row], isRemoved: true)
        rowids[row] = rowid
        rowidIndex?.insert(row, hash: seed.hash(UInt64(bitPattern: rowid)))
        updateLargestRowid(rowid, isRemoved: false)
    }

    mutating func reserve(_ rows: Int) {
        if physicalRowCount + rows > rowids.capacity {
            rowids.reserveCapacity(max(physicalRowCount + rows, physicalRowCount * 2))
        }
        for column in columns.indices where column != definition.rowidColumn { columns[column].reserve(rows) }
    }

    // MARK: Order

    /// The live rows, in rowid order.
    func orderedRows(_ interruption: StatementInterruption = .none) throws(StoreError) -> [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(rowCount)
        for row in 0..<physicalRowCount where isLive(row) { rows.append(Int32(truncatingIfNeeded: row)) }
        if !isOrdered { try sortByRowid(&rows, interruption) }
        return rows
    }

    func sortByRowid(_ rows: inout [Int32], _ interruption: StatementInterruption) throws(StoreError) {
        var comparisons = 0
        try rethrowingStoreErrors {
            try rows.sort { one, other in
                comparisons &+= 1
                try interruption.check(afterComparison: comparisons)
                return rowids[Int(one)] < rowids[Int(other)]
            }
        }
    }

    /// Counts a scan of an unordered table. True if sorting now costs no more than the scans so far, or many rows are
    /// out of order.
    mutating func shouldSortBeforeScan() -> Bool {
        guard !isOrdered else { return false }
        outOfOrderScanCount += 1
        return outOfOrderScanCount > 4 || outOfOrderRowCount > physicalRowCount / 16
    }

    /// True if a large part of the table is tombstones or dead bytes.
    var needsCompaction: Bool {
        if tombstoneCount > 64, tombstoneCount * 2 > physicalRowCount { return true }
        if tombstoneCount > 0, physicalRowCount == capacity { return true }
        return columns.contains { $0.deadBytes > 1 << 16 && $0.deadBytes * 2 > $0.arena.count }
    }

    /// Removes tombstones and dead bytes, and sorts the rows by rowid. All row numbers change.
    /// - Parameter interruption: ends the sort, and leaves the table as it is; default none.
    mutating func compact(_ interruption: StatementInterruption = .none) throws(StoreError) {
        let rows = try orderedRows(interruption)
        for column in columns.indices where column != definition.rowidColumn {
            columns[column] = columns[column].gathered(rows)
        }
        rowids = rows.map { rowids[Int($0)] }
        tombstones = [UInt64](repeating: 0, count: (rows.count + 63) / 64)
        tombstoneCount = 0
        isOrdered = true
        (outOfOrderRowCount, outOfOrderScanCount) = (0, 0)
        rowidIndex = nil
        rebuildKeys()
    }
}
