import HTTPMessages
import PatchbayTestKit

/// Rows computed from a seed, of which only the change sets are in memory.
///
/// A change set decides for each slot by a hash of seed, slot and its own number: unchanged, changed or deleted.
struct GeneratedRows: TableContent {
    /// The ids of the rows that change set `n` has written are from `n` times this number.
    static let idsPerChange = 1_000_000_000

    struct ChangeSet {
        let revision: Int
        /// Shares of the rows, in 2⁻³².
        let updated: UInt64
        let deleted: UInt64
        /// The number of slots with those that this change set has added.
        let slotCount: Int
    }

    let columns: [HyperHiveService.Column]
    private let firstCount: Int
    private let seed: UInt64
    private var changeSets: [ChangeSet] = []

    init(_ columns: [HyperHiveService.Column], count: Int, seed: UInt64) {
        self.columns = columns
        firstCount = count
        self.seed = seed
    }

    var slotCount: Int { changeSets.last?.slotCount ?? firstCount }

    /// Adds a change set.
    /// - Parameters:
    ///   - updated: share of the rows that change, 0 to 1.
    ///   - deleted: share of the rows that are deleted, 0 to 1.
    ///   - inserted: number of new rows.
    mutating func change(at revision: Int, updated: Double, deleted: Double, inserted: Int) {
        func threshold(_ share: Double) -> UInt64 { UInt64(min(max(0, share), 1) * Double(1 << 32)) }
        let count = min(slotCount + max(0, inserted), Self.idsPerChange)
        changeSets.append(
            ChangeSet(
                revision: revision, updated: threshold(updated), deleted: threshold(deleted), slotCount: count))
    }

    func id(at slot: Int, revision: Int) -> Int64? {
        lastChange(of: slot, revision: revision).map { Int64($0 * Self.idsPerChange + slot + 1) }
    }

    func cells(at slot: Int, revision: Int) -> [JSONValue] {
        var cells: [JSONValue] = []
        forEachCell(at: slot, revision: revision) { cells.append($0.json) }
        return cells
    }

    func append(at slot: Int, revision: Int, to output: inout [UInt8]) {
        forEachCell(at: slot, revision: revision) { cell in
            output.append(UInt8(ascii: ","))
            cell.append(to: &output)
        }
    }

    /// The number of the change set that has written the slot's row, 0 for the first content; nil if there is no row.
    private func lastChange(of slot: Int, revision: Int) -> Int? {
        var written: Int? = slot < firstCount ? 0 : nil
        for (index, change) in changeSets.enumerated() {
            guard change.revision <= revision else { break }
            guard written != nil else {
                if slot < change.slotCount { written = index + 1 }
                continue
            }
            let draw = random(slot, change: index + 1, salt: 0) >> 32
            if draw < change.deleted { return nil }
            if draw < change.deleted + change.updated { written = index + 1 }
        }
        return written
    }

    private func random(_ slot: Int, change: Int, salt: UInt64) -> UInt64 {
        let place = UInt64(slot) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(change) &* 0xD1B5_4A32_D192_ED03 ^ salt << 56
        var generator = SeededGenerator(seed: seed ^ place)
        return generator.next()
    }

    private func forEachCell(at slot: Int, revision: Int, _ body: (GeneratedCell) -> Void) {
        guard let change = lastChange(of: slot, revision: revision) else { return }
        for (index, column) in columns.enumerated() {
            let random = random(slot, change: change, salt: UInt64(index + 1))
            switch column.type {
            case .bigint where index == 0: body(.integer(Int64(slot + 1)))
            // One cell in sixteen, except for the first column.
            case _ where index > 0 && random & 15 == 0: body(.null)
            case .bigint: body(.integer(Int64(random >> 24)))
            case .double: body(.number(Double(random >> 40) / 256))
            case .text, .other: body(.text(slot: slot, change: change, random: UInt32(random >> 32)))
            }
        }
    }
}

/// A cell of a generated row, in a form that is fast to write.
private enum GeneratedCell {
    case null
    case integer(Int64)
    case number(Double)
    case text(slot: Int, change: Int, random: UInt32)

    var json: JSONValue {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .text: .string(text)
        }
    }

    /// Without characters that JSON escapes.
    private var text: String {
        guard case .text(let slot, let change, let random) = self else { return "" }
        return "строка \(slot + 1).\(change) \(String(random, radix: 36))"
    }

    func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        case .number(let value): output.append(contentsOf: value.description.utf8)
        case .text:
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: text.utf8)
            output.append(UInt8(ascii: "\""))
        }
    }
}
