import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    /// The ids of the table `jack`, as observed.
    private static func observedIDs(
        _ store: any LocalStore
    ) -> StoreObservation<[Int]> {
        store.observe { try $0.values(of: Int.self, "SELECT id FROM jack ORDER BY id") }
    }

    /// Sequences of changes and of values.
    static let observation: [StoreConformanceCase] = [
        StoreConformanceCase(asynchronous: "pending changes are merged") { store, _ in
            try store.execute("CREATE TABLE other (a)")
            try store.execute("CREATE TABLE third (a)")
            var changes = store.changes(of: ["Jack", "other"]).makeAsyncIterator()
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.execute("INSERT INTO third VALUES (1)")
            try store.execute("INSERT INTO other VALUES (1)")
            try expect(await changes.next()?.tables, is: ["jack", "other"])
            try store.execute("INSERT INTO third VALUES (2)")
            try store.execute("DELETE FROM jack")
            try expect(await changes.next()?.tables, is: ["jack"])
            var all = store.changes().makeAsyncIterator()
            try store.execute("INSERT INTO third VALUES (3)")
            try expect(await all.next()?.tables, is: ["third"])
        },
        StoreConformanceCase(asynchronous: "a change resumes a waiting task") { store, _ in
            let isWaiting = Gate()
            let task = Task {
                let changes = store.changes(of: ["jack"])
                isWaiting.open()
                // The first change may precede the iterator; the loop below makes another one.
                for await change in changes { return change.tables }
                return []
            }
            try await isWaiting.wait()
            let hasEnded = Mutex(false)
            let writer = Task {
                var id: Int64 = 0
                while !hasEnded.withLock({ $0 }) {
                    id += 1
                    try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(id)])
                    await Task.yield()
                }
            }
            try expect(await task.value, is: ["jack"])
            hasEnded.withLock { $0 = true }
            try await writer.value
        },
        StoreConformanceCase(asynchronous: "cancellation ends the sequence of changes") { store, _ in
            let task = Task {
                for await _ in store.changes() {}
                return true
            }
            task.cancel()
            try expect(await task.value)
        },
        StoreConformanceCase(asynchronous: "closing ends the sequence of changes") { store, _ in
            var changes = store.changes().makeAsyncIterator()
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.close()
            try expect(await changes.next()?.tables, is: ["jack"])
            try expect(await changes.next()?.tables, is: nil)
            var late = store.changes().makeAsyncIterator()
            try expect(await late.next()?.tables, is: nil)
        },
        StoreConformanceCase(asynchronous: "a handler that closes the store loses no change") { store, _ in
            let subscription = store.subscribe { _ in try? store.close() }
            var changes = store.changes().makeAsyncIterator()
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try expectError(.closed) { try store.jackIDs() }
            try expect(await changes.next()?.tables, is: ["jack"])
            try expect(await changes.next()?.tables, is: nil)
            subscription.cancel()
        },
        StoreConformanceCase(asynchronous: "observation begins with a value and follows commits") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            var values = observedIDs(store).makeAsyncIterator()
            try expect(await values.next(), is: [1])
            try store.execute("INSERT INTO jack (id) VALUES (2)")
            try expect(await values.next(), is: [1, 2])
            // Many commits are one value.
            for id in 3...40 as ClosedRange<Int64> {
                try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(id)])
            }
            try expect(await values.next(), is: Array(1...40))
            try await store.transaction {
                try store.execute("DELETE FROM jack WHERE id > 1")
                try? store.transaction {
                    try store.execute("DELETE FROM jack")
                    throw Interruption()
                }
            }
            try expect(await values.next(), is: [1])
        },
        StoreConformanceCase(asynchronous: "equal values can be left out") { store, _ in
            var values = observedIDs(store).removingDuplicates().makeAsyncIterator()
            try expect(await values.next(), is: [])
            let task = Task { try await values.next() }
            try store.execute("CREATE TABLE other (a)")
            try store.execute("INSERT INTO other VALUES (1)")
            try store.execute("UPDATE jack SET label = 'x'")
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try expect(await task.value, is: [1])
        },
        StoreConformanceCase(asynchronous: "records are observed") { store, _ in
            try createNotes(in: store)
            var notes = store.observe(as: Note.self, "SELECT * FROM note WHERE isPinned = \(true)").makeAsyncIterator()
            try expect(await notes.next(), is: [])
            let note = Note("a")
            try store.insert(note, into: "note")
            try expect(await notes.next(), is: [note])
        },
        StoreConformanceCase(asynchronous: "an error of the query ends the observation") { store, _ in
            var values = store.observe { try $0.rows("SELECT * FROM nowhere") }.makeAsyncIterator()
            do {
                _ = try await values.next()
                throw ConformanceFailure("no error for a missing table")
            } catch let error as StoreError {
                try expect(error.code, is: .noSuchTable)
            }
            try expect(await values.next(), is: nil)
        },
        StoreConformanceCase(asynchronous: "cancellation ends an observation") { store, _ in
            let task = Task {
                var count = 0
                for try await _ in observedIDs(store) { count += 1 }
                return count
            }
            task.cancel()
            try expect(await task.value <= 1)
        },
    ]

    /// Large result sets.
    static let streams: [StoreConformanceCase] = [
        StoreConformanceCase(asynchronous: "a stream passes all rows in order") { store, _ in
            let batch = try RowBatch(["id", "label"], (0..<5000).map { [.integer($0), .text("row \($0)")] })
            try store.upsert(batch, into: "jack")
            var next = 0
            for try await id in store.stream(of: Int.self, "SELECT id FROM jack WHERE id >= \(0) ORDER BY id") {
                try expect(id, is: next)
                next += 1
            }
            try expect(next, is: 5000)
            for try await _ in store.stream(of: Int.self, "SELECT id FROM jack WHERE id < 0") {
                throw ConformanceFailure("a row of an empty result set")
            }
        },
        StoreConformanceCase(asynchronous: "a stream can be left early") { store, _ in
            try store.upsert(try RowBatch(["id"], (0..<5000).map { [.integer($0)] }), into: "jack")
            for _ in 0..<20 {
                for try await id in store.stream(of: Int.self, "SELECT id FROM jack ORDER BY id") where id > 2 { break }
            }
            // No reader is left that a writer would wait for.
            try expect(store.execute("DELETE FROM jack"), is: 5000)
        },
        StoreConformanceCase(asynchronous: "a stream is one snapshot", needs: [.concurrentReads]) { store, _ in
            try store.upsert(try RowBatch(["id"], (0..<5000).map { [.integer($0)] }), into: "jack")
            var count = 0
            for try await _ in store.stream(of: Int.self, "SELECT id FROM jack ORDER BY id") {
                if count == 0 { try store.execute("DELETE FROM jack") }
                count += 1
            }
            try expect(count, is: 5000)
        },
        StoreConformanceCase(asynchronous: "errors end a stream") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, '5'), (2, 'x')")
            for (sql, code) in [
                ("SELECT id FROM nowhere", .noSuchTable), ("SELECT label FROM jack", .undecodable),
            ] as [(SQL, StoreError.Code)] {
                do {
                    for try await _ in store.stream(of: Int.self, sql) {}
                    throw ConformanceFailure("no error: \(sql)")
                } catch let error as StoreError {
                    try expect(error.code, is: code)
                }
            }
        },
    ]
}
