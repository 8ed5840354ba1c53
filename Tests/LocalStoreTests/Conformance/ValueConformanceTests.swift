import Foundation
import LocalStore
import StoreTestSupport
import Testing

@Suite struct ValueConformanceTests {
    static let values: [StoreValue] = [
        .null, 0, -1, .integer(.max), .integer(.min), .integer(9_007_199_254_740_993), 0.5, -0.0, 1e300,
        .real(.leastNonzeroMagnitude),
        .real(.infinity), "", "plate", "a\0b", "\u{FEFF}é𝄞", "it's \"quoted\"", .blob(Data()), .blob(Data([0, 255])),
    ]

    @Test(arguments: StoreUnderTest.all) func valuesRoundTrip(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            for value in Self.values {
                try store.execute("DELETE FROM jack")
                try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, ?)", [value])
                #expect(isSame(try store.value("SELECT \"any\" FROM jack"), value), "\(value)")
                let batch = try RowBatch(["id", "any"], [[2, value]])
                try store.upsert(batch, into: "jack")
                #expect(isSame(try store.value("SELECT \"any\" FROM jack WHERE id = 2"), value), "\(value)")
            }
        }
    }

    /// Compares the sign of zero too, unlike `==`.
    private func isSame(_ one: StoreValue, _ other: StoreValue) -> Bool {
        if case .real(let one) = one, case .real(let other) = other { return one.bitPattern == other.bitPattern }
        return one == other
    }

    @Test(arguments: StoreUnderTest.all)
    func nanIsStoredAsNull(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id, \"any\") VALUES (1, ?)", [.real(.nan)])
            try store.upsert(try RowBatch(["id", "any"], [[2, .real(.nan)]]), into: "jack")
            #expect(try store.rows("SELECT \"any\" FROM jack") == [[.null], [.null]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func columnsConvertByAffinity(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            let columns: [SQLIdentifier] = ["id", "label", "gain", "any"]
            try store.upsert(try RowBatch(columns, [["1", 5, "2.50", "7"], [2.0, 1.5, 3, 7]]), into: "jack")
            let expected: [[StoreValue]] = [[1, "5", 2.5, "7"], [2, "1.5", 3.0, 7]]
            #expect(try store.rows("SELECT id, label, gain, \"any\" FROM jack ORDER BY id") == expected)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func parametersAreNeverParsedAsSQL(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            for (index, text) in ["'; DROP TABLE jack; --", "\") OR 1=1 --", "?1", ":name"].enumerated() {
                let id = StoreValue.integer(Int64(index))
                try store.execute("INSERT INTO jack (id, label) VALUES (?, ?)", [id, .text(text)])
                #expect(try store.rows("SELECT id FROM jack WHERE label = ?", [.text(text)]) == [[id]])
            }
            #expect(try store.jackIDs().count == 4)
        }
    }
}
