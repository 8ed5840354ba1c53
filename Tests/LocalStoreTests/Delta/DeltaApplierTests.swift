import Foundation
import Testing

@testable import LocalStore

/// What applying a delta guarantees, on every store. The numbers are those of the list of hazards that the applier was
/// made against.
@Suite struct DeltaApplierTests {
    @Test(arguments: StoreUnderTest.all) func `a delta changes rows and version`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            #expect(try world.request() == .everything)
            #expect(try world.rows().isEmpty)
            let first = try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            #expect(first == DeltaOutcome(version: "1", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(try world.request() == .changes(since: "1"))
            let second = try world.apply("1", "2", [#"+{"id":3,"label":"c"}"#, "-[1]", #"+{"id":2,"label":"B"}"#])
            #expect(second.counts == DeltaCounts(upserts: 2, deletes: 1))
            #expect(try world.rows() == [[2, "B"], [3, "c"]])
            #expect(try world.version() == "2")
            #expect(try world.apply("2", "3").counts == DeltaCounts())
            #expect(try world.version() == "3")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `several tables change together`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            let tables = try ["a", "b"].map {
                try TableSchema(SQLIdentifier($0), columns: DeltaWorld.columns, primaryKey: ["id"])
            }
            world.target = try DeltaTarget(tables: tables, binding: world.target.binding)
            try world.apply(DeltaWorld.text(nil, "1", table: "a", [#"+{"id":1}"#, #"{"table":"b"}"#, #"+{"id":2}"#]))
            #expect(try world.rows("id", table: "a") == [[1]])
            #expect(try world.rows("id", table: "b") == [[2]])
            // The second table's rows are wrong: the first one's do not stay.
            let wrong = DeltaWorld.text("1", "2", table: "a", ["-[1]", #"{"table":"b"}"#, #"+{"id":null}"#])
            #expect(throws: DeltaError.self) { try world.apply(wrong) }
            #expect(try world.rows("id", table: "a") == [[1]])
            #expect(try world.version() == "1")
            // All rows of a table that the delta does not name are none.
            try world.apply(DeltaWorld.text(nil, "2", table: "a", [#"+{"id":3}"#]))
            #expect(try world.rows("id", table: "a") == [[3]])
            #expect(try world.rows("id", table: "b").isEmpty)
            // Only together are they at a version.
            world.target = try DeltaTarget(tables: [tables[1]], binding: DeltaBinding(server: "x", resource: "sockets"))
            try world.apply(DeltaWorld.text(nil, "9", table: "b"))
            world.target = try DeltaTarget(tables: tables, binding: DeltaWorld.target().binding)
            #expect(try world.request() == .everything)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T2: the same delta twice`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let changes = ["-[1]", #"+{"id":2,"label":"b"}"#]
            try world.apply("1", "2", changes)
            let state = try world.state()
            let again = try world.apply("1", "2", changes)
            #expect(again == DeltaOutcome(version: "2", counts: DeltaCounts(), isDuplicate: true, hasMore: false))
            #expect(try world.apply(nil, "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try world.apply("2", "2", [#"+{"id":9}"#]).isDuplicate)
            #expect(try world.state() == state)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T3, T7: a delta from another version`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.refuse(DeltaWorld.text("3", "4"), .gap)
            try world.apply(nil, "2", [#"+{"id":1}"#])
            try world.refuse(DeltaWorld.text("3", "4", [#"+{"id":4}"#]), .gap)
            try world.apply("2", "3", [#"+{"id":3}"#])
            try world.apply("3", "4", [#"+{"id":4}"#])
            try world.refuse(DeltaWorld.text("2", "3", ["-[3]"]), .gap)
            #expect(try world.rows("id") == [[1], [3], [4]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T3: an update asks again, then for everything`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "2", [#"+{"id":1}"#])
            var asked: [DeltaRequest] = []
            func update(_ answers: String...) throws -> DeltaOutcome {
                asked = []
                var rest = answers[...]
                return try world.applier.update(world.target) { request in
                    asked.append(request)
                    return DeltaWorld.source(Data((rest.popFirst() ?? "").utf8), pieces: 100)
                }
            }
            // The right one comes when asked again.
            #expect(try update(DeltaWorld.text("3", "4"), DeltaWorld.text("2", "3", [#"+{"id":3}"#])).version == "3")
            #expect(asked == [.changes(since: "2"), .changes(since: "2")])
            // It never comes.
            let all = DeltaWorld.text(nil, "9", [#"+{"id":9}"#])
            #expect(try update(DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"), all).version == "9")
            #expect(asked == [.changes(since: "3"), .changes(since: "3"), .everything])
            #expect(try world.rows("id") == [[9]])
            // Not even then: the old rows stay readable.
            let error = #expect(throws: DeltaError.self) {
                _ = try update(DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"), DeltaWorld.text("7", "8"))
            }
            #expect(error?.code == .gap)
            #expect(try world.rows("id") == [[9]])
            #expect(try world.request() == .everything)
            // Several pages, of which one comes twice.
            let page = DeltaWorld.text(nil, "p1", more: true, [#"+{"id":1}"#])
            let outcome = try update(page, page, DeltaWorld.text("p1", "10", [#"+{"id":2}"#]))
            #expect(
                outcome == DeltaOutcome(version: "10", counts: .init(upserts: 2), isDuplicate: false, hasMore: false))
            #expect(asked == [.everything, .rest(after: "p1"), .rest(after: "p1")])
            // The server cannot be asked.
            let lost = #expect(throws: DeltaError.self) {
                _ = try world.applier.update(world.target) { _ -> JSONDeltaSource in throw Interruption() }
            }
            #expect(lost?.code == .source)
            #expect(lost?.underlying is Interruption)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T4, T5: a cut at every byte`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let state = try world.state()
            for text in [
                DeltaWorld.text("1", "2", [#"+{"id":2,"label":"b"}"#, "-[1]", #"+{"id":3}"#]),
                DeltaWorld.text(nil, "2", [#"+{"id":2,"label":"b"}"#, #"+{"id":3}"#]),
            ] {
                for count in 0..<text.utf8.count {
                    let error = #expect(throws: DeltaError.self) {
                        try world.apply(String(text.prefix(count)), pieces: 7)
                    }
                    #expect(error?.code == .truncated)
                    #expect(try world.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T6: a wrong count`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for counts in [(0, 1), (2, 1), (1, 0), (1, 2)] {
                for from in ["1", nil] {
                    try world.refuse(DeltaWorld.text(from, "2", [#"+{"id":2}"#, "-[1]"], counts: counts), .wrongCount)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T8: the server sends everything`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            // Where there is no SQL for indexes and views, there are none to keep.
            let hasIndexes = kind.knowsIndexes
            if hasIndexes {
                try world.store.execute("CREATE INDEX sockets_by_label ON socket (label)")
                try world.store.execute("CREATE VIEW labels AS SELECT label FROM socket")
            }
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = world.store
            var seen: Set<[[StoreValue]]> = []
            var source = InterruptedSource(DeltaWorld.source(Data(DeltaWorld.text(nil, "2", rows).utf8), pieces: 9999))
            { _ in
                seen.insert(try store.rows("SELECT id, label FROM socket"))
            }
            try world.applier.apply(&source, to: world.target)
            #expect(seen == [[[1, "old"]]])
            #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            #expect(try world.version() == "2")
            #expect(try store.tables() == ["patchbay_delta", "socket"])
            guard hasIndexes else { return }
            #expect(try store.rows("SELECT count(*) FROM sqlite_master WHERE name = 'sockets_by_label'") == [[1]])
            #expect(try store.rows("SELECT count(*) FROM labels") == [[5000]])
            // An index that does not fit the new table goes away.
            try store.execute("CREATE UNIQUE INDEX one_gain ON socket (gain)")
            try world.apply(nil, "3", [#"+{"id":1,"gain":1}"#, #"+{"id":2,"gain":1}"#])
            #expect(
                try store.rows("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `pages of everything`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let outcome = try world.apply(nil, "p1", more: true, [#"+{"id":10}"#])
            #expect(outcome == DeltaOutcome(version: "1", counts: .init(upserts: 1), isDuplicate: false, hasMore: true))
            #expect(try world.rows() == [[1, "old"]])
            #expect(try world.request() == .rest(after: "p1"))
            // One that is cut is asked for again, and leaves nothing behind.
            let cut = String(DeltaWorld.text("p1", "p2", more: true, [#"+{"id":66}"#, #"+{"id":67}"#]).dropLast(1))
            try world.refuse(cut, .truncated)
            #expect(try world.request() == .rest(after: "p1"))
            try world.apply("p1", "p2", more: true, [#"+{"id":11}"#, "-[10]"])
            #expect(try world.apply("p1", "p2", more: true, [#"+{"id":12}"#]).isDuplicate)
            try world.refuse(DeltaWorld.text("p1", "p3", more: true), .gap)
            // Another program finds the pages too.
            let other = DeltaApplier(world.store)
            #expect(try other.request(for: world.target) == .rest(after: "p2"))
            #expect(try world.apply("p2", "2", [#"+{"id":13}"#]).version == "2")
            #expect(try world.rows("id") == [[11], [13]])
            #expect(try world.request() == .changes(since: "2"))
            // Pages are let go when the server sends changes after all, or begins again.
            try world.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try world.apply("2", "3", [#"+{"id":14}"#])
            #expect(try world.request() == .changes(since: "3"))
            try world.apply(nil, "p1", more: true, [#"+{"id":20}"#])
            try world.apply(nil, "4", [#"+{"id":30}"#])
            #expect(try world.rows("id") == [[30]])
            // Pages of changes are each a version.
            try world.apply("4", "4.1", more: true, [#"+{"id":31}"#])
            #expect(try world.request() == .changes(since: "4.1"))
            #expect(try world.rows("id") == [[30], [31]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: a column is added`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            let columns = DeltaWorld.columns + [.init("note", "TEXT")]
            world.target = try DeltaWorld.target(columns)
            // It is there at once, but the rows are asked for again.
            #expect(try world.request() == .everything)
            #expect(try world.rows("id, note") == [[1, nil]])
            #expect(try world.request() == .everything)
            try world.apply(nil, "2", [#"+{"id":1,"note":"x"}"#])
            #expect(try world.rows("id, note") == [[1, "x"]])
            // A server may send what is new by itself.
            world.target = try DeltaWorld.target(columns + [.init("more", "TEXT")])
            world.target.backfillsAddedColumns = true
            #expect(try world.request() == .changes(since: "2"))
            try world.apply("2", "3", [#"+{"id":2,"more":"y"}"#])
            #expect(try world.rows("id, note, more") == [[1, "x", nil], [2, nil, "y"]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: a column is removed`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#])
            world.target = try DeltaWorld.target([.init("id", "INTEGER"), .init("gain", "REAL")])
            #expect(try world.request() == .changes(since: "1"))
            try world.apply("1", "2", [#"+{"id":2,"gain":1}"#, #"+{"id":3,"gain":2}"#])
            #expect(try world.rows("id, label, gain") == [[1, "a", nil], [2, nil, 1.0], [3, nil, 2.0]])
            #expect(try world.request() == .changes(since: "2"))
            try world.refuse(DeltaWorld.text("2", "3", [#"+{"id":4,"label":"x"}"#]), .unknownColumn)
        }
    }

    @Test(
        arguments: StoreUnderTest.all,
        [
            ([.init("id", "INTEGER"), .init("label", "BLOB")], ["id"], #"+{"id":1,"label":"x"}"#),
            ([.init("key", "TEXT"), .init("label", "TEXT")], ["key"], #"+{"key":1,"label":"x"}"#),
            (
                [.init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL")], ["label"],
                #"+{"id":1,"label":"x"}"#
            ),
        ] as [([TableSchema.Column], [SQLIdentifier], String)])
    func `T10: a type or the key has changed`(
        kind: StoreUnderTest, change: ([TableSchema.Column], [SQLIdentifier], String)
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            world.target = try DeltaWorld.target(change.0, key: change.1)
            #expect(try world.request() == .everything)
            #expect(try world.rows() == [[1, "old"]])
            try world.refuse(DeltaWorld.text("1", "2", []), .gap)
            try world.apply(nil, "2", [change.2])
            let schema = try #require(try world.store.schema(of: "socket"))
            #expect(schema.columns == change.0)
            #expect(schema.primaryKey == change.1)
            #expect(try world.store.rows("SELECT label FROM socket") == [["x"]])
            #expect(try world.request() == .changes(since: "2"))
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T10: somebody else has changed the table`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            try world.store.execute("DROP TABLE socket")
            #expect(try world.request() == .everything)
            #expect(try world.rows().isEmpty)
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            #expect(try world.version() == "1")
        }
    }

    @Test(
        arguments: StoreUnderTest.all,
        [
            (#"{"merge":{"id":2}}"#, .unknownOperation), (#"+{"id":2,"colour":1}"#, .unknownColumn),
            (#"+{"id":2,"id":2}"#, .duplicateColumn), (#"+{"label":"x"}"#, .missingKey),
            (#"+{"id":null}"#, .missingKey),
            ("-[null]", .missingKey), (#"{"table":"other"}"#, .unknownTable),
            (#"{"table":"socket","key":["label"]}"#, .mismatch),
        ] as [(String, DeltaError.Code)])
    func `T11: what a delta must not have`(kind: StoreUnderTest, fault: (String, DeltaError.Code)) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1,"label":"a"}"#])
            for from in ["1", nil] {
                try world.refuse(DeltaWorld.text(from, "2", [#"+{"id":9}"#, "-[1]", fault.0, #"+{"id":8}"#]), fault.1)
            }
            try world.refuse(DeltaWorld.text("1", "2").replacing("sockets", with: "others"), .mismatch)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T11, T12: the order of operations counts`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(
                nil, "1", [#"+{"id":1,"label":"a"}"#, #"+{"id":2,"label":"b"}"#, #"+{"id":1,"label":"c"}"#])
            #expect(try world.rows() == [[1, "c"], [2, "b"]])
            let outcome = try world.apply(
                "1", "2",
                [
                    "-[7]", "-[1]", #"+{"id":1,"label":"again"}"#, #"+{"id":3,"label":"d"}"#, "-[3]",
                    #"+{"id":2,"gain":1}"#,
                ])
            #expect(outcome.counts == DeltaCounts(upserts: 3, deletes: 3))
            // A row is replaced as a whole: what it does not name is null.
            #expect(try world.rows("*") == [[1, "again", nil], [2, nil, 1.0]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T13: pieces of every size`(kind: StoreUnderTest) throws {
        let rows = (0..<40).map { "+{\"id\":\($0),\"label\":\"ä\\u00e4\\n\($0)\"}" } + ["-[3]", "-[4]", #"+{"id":3}"#]
        let text = DeltaWorld.text(nil, "1", rows)
        try DeltaWorld.run(kind) { world in
            try world.apply(text)
            let state = try world.state()
            #expect(state.rows.count == 39)
            for pieces in [1, 2, 3, 5, 8, 13, 64, 200, 1000, 4096, 65536, 1 << 20] {
                try world.applier.forget(world.target)
                try world.store.execute("DELETE FROM socket")
                try world.apply(text, pieces: pieces)
                #expect(try world.state() == state)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T14: values at their limits`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            world.target = try DeltaWorld.target([.init("id", "INTEGER"), .init("value")])
            let values: [(String, StoreValue)] = [
                ("9007199254740993", .integer(9_007_199_254_740_993)), ("9223372036854775807", .integer(.max)),
                ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .real(0x1p63)), ("-0", .real(-0.0)),
                (#""a\u0000b""#, "a\0b"), (#""\ud83d\ude00""#, "😀"), (#"{"a":[1]}"#, #"{"a":[1]}"#), ("true", 1),
                ("5e-324", .real(.leastNonzeroMagnitude)), ("null", nil),
            ]
            try world.apply(nil, "1", values.enumerated().map { "+{\"id\":\($0),\"value\":\($1.0)}" })
            #expect(try world.rows("id, value").map { $0[1] } == values.map(\.1))
            for wrong in ["1e400", "-1e400", #""\ud83d""#, #""\ude00""#, "\"\u{1}\"", "[1e400]"] {
                try world.refuse(DeltaWorld.text("1", "2", ["+{\"id\":1,\"value\":\(wrong)}"]), .malformed)
            }
            let text = DeltaWorld.text("1", "2", [#"+{"id":1,"value":"XX"}"#])
            for bytes in [[0xFF, 0xFE], [0xC0, 0x80], [0xC3, 0x28], [0x00, 0x00]] as [[UInt8]] {
                var data = Data(text.utf8)
                let place = try #require(data.firstRange(of: Data("XX".utf8)))
                data.replaceSubrange(place, with: bytes)
                var source = DeltaWorld.source(data, pieces: 10)
                let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: world.target) }
                #expect(error?.code == .malformed)
            }
            #expect(try world.version() == "1")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T15: two at once`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            for from in ["1", nil] {
                let (applier, target, text) = (world.applier, world.target, Data(DeltaWorld.text(from, "2").utf8))
                var source = InterruptedSource(DeltaWorld.source(text, pieces: 100)) { _ in
                    var other = DeltaWorld.source(text, pieces: 100)
                    let error = #expect(throws: DeltaError.self) { try applier.apply(&other, to: target) }
                    #expect(error?.code == .busy)
                    #expect(throws: DeltaError.self) { try applier.forget(target) }
                }
                #expect(try applier.apply(&source, to: target).version == "2")
            }
            // It is free again, also after an error.
            try world.refuse(DeltaWorld.text("2", "3", ["-[null]"]), .missingKey)
            try world.apply("2", "3")
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T15: another program loads the same tables`(kind: StoreUnderTest) throws
    {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let (other, target) = (DeltaApplier(world.store), world.target)
            let rows = (100..<5000).map { "+{\"id\":\($0)}" }
            var source = InterruptedSource(DeltaWorld.source(Data(DeltaWorld.text(nil, "2", rows).utf8), pieces: 65536))
            { batch in
                guard batch == 1 else { return }
                var source = DeltaWorld.source(Data(DeltaWorld.text(nil, "3", [#"+{"id":3}"#]).utf8), pieces: 100)
                try other.apply(&source, to: target)
            }
            let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: target) }
            #expect(error?.code == .busy)
            #expect(try world.state() == .init(rows: [[3, nil, nil]], version: "3"))
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T16: a call is cancelled`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let state = try world.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                // Before each batch, and once before the end.
                for last in 0...4 {
                    var source = DeltaWorld.source(Data(DeltaWorld.text(from, "2", rows).utf8), pieces: 65536)
                    var asked = 0
                    let error = #expect(throws: DeltaError.self) {
                        try world.applier.apply(&source, to: world.target) {
                            defer { asked += 1 }
                            return asked == last
                        }
                    }
                    #expect(error?.code == .cancelled)
                    #expect(try world.state() == state)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T16: its task is cancelled`(kind: StoreUnderTest) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                withUnsafeCurrentTask { $0?.cancel() }
                try DeltaWorld.run(kind) { world in
                    try world.refuse(DeltaWorld.text(nil, "1", [#"+{"id":1}"#]), .cancelled)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T17: a reader sees a change only after the commit`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            guard world.readsConcurrently else { return }
            try world.apply(nil, "1", [#"+{"id":1,"label":"old"}"#])
            let rows = (0..<5000).map { "+{\"id\":\($0),\"label\":\"new\"}" }
            let store = world.store
            for (from, to) in [("1", "2"), (nil, "3")] {
                let before = try world.rows()
                var source = InterruptedSource(
                    DeltaWorld.source(Data(DeltaWorld.text(from, to, rows).utf8), pieces: 65536)
                ) { _ in
                    let wait = onThread {
                        #expect((try? store.rows("SELECT id, label FROM socket ORDER BY 1")) == before)
                    }
                    #expect(wait())
                }
                try world.applier.apply(&source, to: world.target)
                #expect(try store.rows("SELECT count(*), min(label) FROM socket") == [[5000, "new"]])
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T19: a version counts for what it was loaded for`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            let mine = world.target.binding
            let changes: [(inout DeltaBinding) -> Void] = [
                { $0.server = "https://example.org" }, { $0.environment = "test" }, { $0.project = "p" },
                { $0.parameters = "{}" },
                { $0.user = "8" }, { $0.user = "" }, { ($0.environment, $0.project) = ("a", "b") },
                { ($0.environment, $0.project) = ("ab", "") },
            ]
            for change in changes {
                world.target = try DeltaWorld.target(binding: mine)
                try world.apply(nil, "1", [#"+{"id":1,"label":"mine"}"#])
                #expect(try world.request() == .changes(since: "1"))
                var other = mine
                change(&other)
                world.target = try DeltaWorld.target(binding: other)
                #expect(try world.request() == .everything)
                try world.refuse(DeltaWorld.text("1", "2", [#"+{"id":2}"#]), .gap)
                try world.apply(nil, "1", [#"+{"id":2,"label":"other"}"#])
                #expect(try world.rows() == [[2, "other"]])
                world.target = try DeltaWorld.target(binding: mine)
                #expect(try world.request() == .everything)
            }
            // Nor for pages.
            try world.apply(nil, "p1", more: true, [#"+{"id":3}"#])
            world.target = try DeltaWorld.target(binding: DeltaBinding(server: "x", resource: "sockets"))
            #expect(try world.request() == .everything)
            try world.refuse(DeltaWorld.text("p1", "2"), .gap)
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T19: a new generation of the store`(kind: StoreUnderTest) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            try world.applier.forgetAll()
            #expect(try world.request() == .everything)
            #expect(try world.rows("id") == [[1]])
            try world.apply(nil, "1", [#"+{"id":2}"#])
            #expect(try world.request() == .changes(since: "1"))
            try world.applier.forget(world.target)
            #expect(try world.request() == .everything)
            #expect(try world.rows("id") == [[2]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T21: what the store knows of the version is gone`(kind: StoreUnderTest)
        throws
    {
        try DeltaWorld.run(kind) { world in
            for loss in [
                "DELETE FROM patchbay_delta WHERE name = 'socket'", "DELETE FROM patchbay_delta",
                "DROP TABLE patchbay_delta",
            ] {
                try world.apply(nil, "1", [#"+{"id":1}"#])
                try world.store.execute(loss)
                #expect(try world.request() == .everything)
                #expect(try world.rows("id") == [[1]])
                try world.refuse(DeltaWorld.text("1", "2"), .gap)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all) func `T22: versions are names, and may look like a clock that went back`(
        kind: StoreUnderTest
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "2024-03-31T02:59:59", [#"+{"id":1}"#])
            try world.apply("2024-03-31T02:59:59", "2024-03-31T02:00:00", [#"+{"id":2}"#])
            #expect(try world.request() == .changes(since: "2024-03-31T02:00:00"))
            #expect(try world.rows("id") == [[1], [2]])
        }
    }

    @Test(arguments: StoreUnderTest.all) func `a failure of the source or the store changes nothing`(
        kind: StoreUnderTest
    ) throws {
        try DeltaWorld.run(kind) { world in
            try world.apply(nil, "1", [#"+{"id":1}"#])
            let state = try world.state()
            let rows = (0..<5000).map { "+{\"id\":\($0)}" }
            for from in ["1", nil] {
                var source = InterruptedSource(
                    DeltaWorld.source(Data(DeltaWorld.text(from, "2", rows).utf8), pieces: 65536)
                ) { batch in
                    if batch == 2 { throw Interruption() }
                }
                let error = #expect(throws: DeltaError.self) { try world.applier.apply(&source, to: world.target) }
                #expect(error?.code == .source)
                #expect(error?.underlying is Interruption)
                #expect(try world.state() == state)
            }
            // A key that the column cannot hold is refused by the store itself.
            let error = try world.refuse(DeltaWorld.text("1", "2", [#"+{"id":5}"#, #"+{"id":"sesame"}"#]), .store)
            #expect((error?.underlying as? StoreError)?.code == .constraint)
            #expect(error?.description.contains("sesame") == false)
        }
    }

    @Test func `a target is checked`() throws {
        #expect(throws: StoreError.self) {
            try DeltaTarget(tables: [], binding: DeltaBinding(server: "", resource: ""))
        }
        #expect(throws: StoreError.self) { try DeltaWorld.target(key: []) }
        #expect(throws: StoreError.self) { try DeltaWorld.target(table: "Patchbay_x") }
        #expect(throws: StoreError.self) { try DeltaWorld.target([.init("id", "INTEGER PRIMARY KEY")]) }
    }
}
