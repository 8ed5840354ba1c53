import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    private static let samples: [StoreValue] = [
        .null, 0, -1, .integer(.max), .integer(.min), .integer(9_007_199_254_740_993), 0.5, -0.0, 1e300,
        .real(.leastNonzeroMagnitude),
        .real(.infinity), "", "plate", "a\0b", "\u{FEFF}é𝄞", "it's \"quoted\"", .blob(Data()), .blob(Data([0, 255])),
    ]
    /// Compares the sign of zero too, unlike `==`.
    private static func isSame(_ one: StoreValue, _ other: StoreValue) -> Bool {
        if case .real(let one) = one, case .real(let other) = other { return one.bitPattern == other.bitPattern }
        return one == other
    }

    /// Values and type affinity.
    static let values: [StoreConformanceCase] = [
        StoreConformanceCase("values round trip") { store, _ in
            for value in samples {
                try store.execute("DELETE FROM jack")
                try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, ?)", [value])
                try expect(isSame(try store.value("SELECT \"any\" FROM jack"), value), "\(value)")
                let batch = try RowBatch(["id", "any"], [[2, value]])
                try store.upsert(batch, into: "jack")
                try expect(isSame(try store.value("SELECT \"any\" FROM jack WHERE id = 2"), value), "\(value)")
            }
        },
        StoreConformanceCase("NaN is stored as null") { store, _ in
            try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, ?)", [.real(.nan)])
            try store.upsert(try RowBatch(["id", "any"], [[2, .real(.nan)]]), into: "jack")
            try expect(store.rows("SELECT \"any\" FROM jack"), is: [[.null], [.null]])
        },
        StoreConformanceCase("columns convert by affinity") { store, _ in
            let columns: [SQLIdentifier] = ["id", "label", "gain", "any"]
            try store.upsert(try RowBatch(columns, [["1", 5, "2.50", "7"], [2.0, 1.5, 3, 7]]), into: "jack")
            let expected: [[StoreValue]] = [[1, "5", 2.5, "7"], [2, "1.5", 3.0, 7]]
            try expect(store.rows("SELECT id, label, gain, \"any\" FROM jack ORDER BY id"), is: expected)
        },
        StoreConformanceCase("parameters are never parsed as SQL") { store, _ in
            for (index, text) in ["'; DROP TABLE jack; --", "\") OR 1=1 --", "?1", ":name"].enumerated() {
                let id = StoreValue.integer(Int64(index))
                try store.execute("INSERT INTO jack (id, label) VALUES (?, ?)", [id, .text(text)])
                try expect(store.rows("SELECT id FROM jack WHERE label = ?", [.text(text)]), is: [[id]])
            }
            try expect(store.jackIDs().count, is: 4)
        },
    ]
}
