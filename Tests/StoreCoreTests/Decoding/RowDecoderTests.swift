import Foundation
import LocalStore
import Testing

/// Types with their own ways to ask for keys.
@Suite struct RowDecoderTests {
    private struct Jack: Decodable, Equatable {
        var id: Int
        var label: String
        var gain: Double?
    }

    @Test func `columns are found by name`() throws {
        let jack = Jack(id: 7, label: "plate", gain: -0.5)
        #expect(try decoded(Jack.self, ["id": 7, "label": "plate", "gain": -0.5]) == jack)
        #expect(try decoded(Jack.self, ["gain": -0.5, "label": "plate", "id": 7]) == jack)
        #expect(try decoded(Jack.self, ["ID": 7, "more": 1, "Label": "plate", "GAIN": -0.5, "x": nil]) == jack)
        // Only ASCII letters: the Kelvin sign is no k.
        #expect(throws: StoreError.self) { try decoded(Kelvin.self, ["\u{212A}": 1]) }
    }

    private struct Kelvin: Decodable { let k: Int }

    @Test func `of columns with the same name the first one counts`() throws {
        #expect(try decoded(Jack.self, ["id": 7, "label": "a", "id": 8, "LABEL": "b"]) == Jack(id: 7, label: "a"))
    }

    @Test func `a missing column is an error, or nil for an optional`() throws {
        #expect(try decoded(Jack.self, ["id": 7, "label": "plate"]).gain == nil)
        expectFailure(
            Jack.self, ["id": 7],
            "Cannot decode the row: it has no column \"label\" for String; select it, or make the property optional.")
        expectFailure(
            Jack.self, [:],
            "Cannot decode the row: it has no column \"id\" for Int; select it, or make the property optional.")
        expectFailure(Int.self, [:], "Cannot decode Int from the row: it has no column 1; select a value.")
    }

    @Test func `an expression is not named in errors`() {
        expectFailure(String.self, ["'secret' || 1": 1], "Cannot decode String from the row, column 1: found INTEGER.")
        expectFailure(String.self, ["17": 1], "Cannot decode String from the row, column 1: found INTEGER.")
        expectFailure(String.self, ["größe": 1], "Cannot decode String from the row, column \"größe\": found INTEGER.")
    }

    private struct Renamed: Decodable, Equatable {
        var isPinned: Bool
        var sourceURL: String
        var id2: Int
    }

    @Test func `keys are converted to snake case`() throws {
        let coding = StoreCoding(keys: .snakeCase)
        let renamed = Renamed(isPinned: true, sourceURL: "x", id2: 3)
        #expect(try decoded(Renamed.self, ["is_pinned": 1, "source_url": "x", "id2": 3], coding) == renamed)
        #expect(
            try decoded([String: Int].self, ["is_pinned": 1, "_a_b_": 2, "c__d": 3], coding)
                == ["isPinned": 1, "_aB_": 2, "c__d": 3])
        #expect(throws: StoreError.self) { try decoded(Renamed.self, ["isPinned": 1], coding) }
    }

    private enum Key: String, CodingKey, CaseIterable { case a, b, c, d }

    /// Asks for keys in the reverse order, several times.
    private struct Reversed: Decodable, Equatable {
        var values: [Int] = []

        init(_ values: [Int]) { self.values = values }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in Key.allCases.reversed() + Key.allCases + [.b, .b, .a] {
                guard container.contains(key), try !container.decodeNil(forKey: key) else { continue }
                values.append(try container.decode(Int.self, forKey: key))
            }
        }
    }

    /// Asks for other keys in each row.
    private struct Branching: Decodable, Equatable {
        let value: Int

        init(_ value: Int) { self.value = value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let key: Key = try container.decode(Int.self, forKey: .a).isMultiple(of: 2) ? .b : .c
            value = try container.decodeIfPresent(Int.self, forKey: key) ?? -1
        }
    }

    private func makeStore() throws -> MemoryStore {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c INTEGER)")
        try store.execute("INSERT INTO t VALUES (1, 10, 100), (2, 20, 200), (3, NULL, NULL), (4, 40, 400)")
        return store
    }

    @Test func `keys are asked for in any order`() throws {
        let rows = try makeStore().rows(as: Reversed.self, "SELECT * FROM t")
        #expect(
            rows == [
                Reversed([100, 10, 1, 1, 10, 100, 10, 10, 1]), Reversed([200, 20, 2, 2, 20, 200, 20, 20, 2]),
                Reversed([3, 3, 3]), Reversed([400, 40, 4, 4, 40, 400, 40, 40, 4]),
            ])
    }

    @Test func `keys differ from row to row`() throws {
        let rows = try makeStore().rows(as: Branching.self, "SELECT * FROM t")
        #expect(rows == [100, 20, -1, 40].map(Branching.init))
    }

    private struct Pair: Decodable, Equatable {
        var a: Int
        var b: Int?
    }

    /// A store of one's own may do so.
    @Test func `columns differ from row to row`() throws {
        let query = PreparedQuery { _, each in
            _ = try each(StoreRow(columnNames: ["a", "b"], values: [1, 2]))
            _ = try each(StoreRow(columnNames: ["b", "a"], values: [3, 4]))
            _ = try each(StoreRow(columnNames: ["a"], values: [5]))
            _ = try each(StoreRow(columnNames: ["a", "b"], values: [6]))
        }
        let pairs = try query.rows(as: Pair.self)
        #expect(pairs == [Pair(a: 1, b: 2), Pair(a: 4, b: 3), Pair(a: 5), Pair(a: 6)])
        let names = try query.rows(as: [String: Int?].self)
        #expect(names == [["a": 1, "b": 2], ["b": 3, "a": 4], ["a": 5], ["a": 6, "b": nil]])
        #expect(
            throws: StoreError(
                .undecodable,
                "Cannot decode row 3: it has no column \"b\" for Int; select it, or make the property optional.")
        ) {
            try query.rows(as: Reordered.self)
        }
    }

    private struct Reordered: Decodable {
        let b: Int
        let a: Int
    }

    private struct Keys: Decodable {
        let keys: [Key]
        init(from decoder: any Decoder) throws { keys = try decoder.container(keyedBy: Key.self).allKeys }
    }

    @Test func `all keys are those with a column`() throws {
        #expect(try decoded(Keys.self, ["c": nil, "x": 1, "a": 1]).keys == [.c, .a])
        #expect(try decoded([String: Int?].self, ["a": 1, "b": nil, "A": 2]) == ["a": 1, "b": nil])
    }

    @Test func `a decodeNil of a missing key is an error`() {
        struct Asking: Decodable {
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Key.self).decodeNil(forKey: .d)
            }
        }
        expectFailure(
            Asking.self, ["a": 1],
            "Cannot decode the row: it has no column \"d\"; select it, or make the property optional.")
    }

    private class Base: Decodable {
        let a: Int
        private enum CodingKeys: CodingKey { case a }
    }

    private final class Derived: Base {
        let b: Int
        private enum CodingKeys: CodingKey { case b }
        required init(from decoder: any Decoder) throws {
            b = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .b)
            try super.init(from: decoder)
        }
    }

    private final class Nested: Base {
        let b: Int
        private enum CodingKeys: CodingKey { case b }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            b = try container.decode(Int.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }
    }

    @Test func `a superclass is decoded from the same row`() throws {
        let derived = try makeStore().rows(as: Derived.self, "SELECT * FROM t WHERE b > 0")
        #expect(derived.map { [$0.a, $0.b] } == [[1, 10], [2, 20], [4, 40]])
        let nested = try makeStore().rows(as: Nested.self, "SELECT * FROM t WHERE b > 0")
        #expect(nested.map { [$0.a, $0.b] } == [[1, 10], [2, 20], [4, 40]])
    }

    private struct Wrapper: Decodable {
        let jack: Jack
        init(from decoder: any Decoder) throws { jack = try decoder.singleValueContainer().decode(Jack.self) }
    }

    @Test func `a wrapper is decoded as its record`() throws {
        #expect(try decoded(Wrapper.self, ["id": 7, "label": "plate"]).jack == Jack(id: 7, label: "plate"))
        #expect(try decoded(Jack?.self, ["id": 7, "label": "plate"]) == Jack(id: 7, label: "plate"))
    }

    private struct Kept: Decodable {
        let decoder: any Decoder
        let container: KeyedDecodingContainer<Key>
        let cell: any Decoder
        let value: any SingleValueDecodingContainer

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            container = try decoder.container(keyedBy: Key.self)
            _ = try container.decode(Int.self, forKey: .a)
            cell = try container.superDecoder(forKey: .a)
            value = try decoder.singleValueContainer()
        }
    }

    @Test func `a decoder that is kept is of no use`() throws {
        let kept = try #require(try makeStore().first(as: Kept.self, "SELECT * FROM t"))
        let reads: [() throws -> Void] = [
            { _ = try kept.container.decode(Int.self, forKey: .a) },
            { _ = try kept.container.decodeIfPresent(Int.self, forKey: .b) },
            { _ = try kept.container.decodeNil(forKey: .a) },
            { _ = try kept.decoder.container(keyedBy: Key.self).decode(String.self, forKey: .a) },
            { _ = try kept.decoder.singleValueContainer().decode(Int.self) },
            { _ = try kept.decoder.unkeyedContainer() },
            { _ = try kept.cell.singleValueContainer().decode(Int.self) },
            { _ = try kept.cell.container(keyedBy: Key.self) },
            { _ = try kept.value.decode(Date.self) },
            { _ = try kept.container.superDecoder(forKey: .a) },
        ]
        for read in reads {
            let error = #expect(throws: DecodingError.self, performing: read)
            guard case .dataCorrupted(let context) = error else {
                Issue.record("Expected dataCorrupted.")
                continue
            }
            #expect((context.underlyingError as? StoreError)?.code == .undecodable)
        }
        #expect(!kept.container.contains(.a))
        #expect(kept.container.allKeys == [])
        #expect(!kept.value.decodeNil())
    }

    private struct Refusal: Error, Equatable {}
    private struct Refusing: Decodable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            switch try container.decode(Int.self, forKey: .a) {
            case 1: throw Refusal()
            case 2: throw DecodingError.dataCorruptedError(forKey: .b, in: container, debugDescription: "secret")
            case 3: throw StoreError(.misuse, "Own.")
            default: break
            }
        }
    }

    @Test func `errors of a type's own initializer`() throws {
        let store = try makeStore()
        #expect(throws: Refusal()) { try store.rows(as: Refusing.self, "SELECT * FROM t WHERE a = 1") }
        #expect(throws: StoreError(.misuse, "Own.")) {
            try store.rows(as: Refusing.self, "SELECT * FROM t WHERE a = 3")
        }
        #expect(throws: StoreError(.undecodable, "Cannot decode Refusing from row 2: the value is not valid at b.")) {
            try store.rows(as: Refusing.self, "SELECT * FROM t WHERE a IN (2, 4) ORDER BY a DESC")
        }
    }

    @Test func `a type may catch the error of a key`() throws {
        struct Tolerant: Decodable {
            let label: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                do {
                    label = try container.decode(String.self, forKey: .a)
                } catch DecodingError.typeMismatch {
                    label = "\(try container.decode(Int.self, forKey: .a))"
                }
            }
        }
        #expect(try decoded(Tolerant.self, ["a": 7]).label == "7")
        #expect(try decoded(Tolerant.self, ["a": "x"]).label == "x")
    }
}
