import Dispatch
import Foundation
import PatchbayTestKit
import StoreCore
import Synchronization

extension StoreConformance {
    /// Cancelled tasks.
    static let cancellation: [StoreConformanceCase] = [
        StoreConformanceCase(asynchronous: "short synchronous calls of a cancelled task succeed") { store, _ in
            let task = cancelledTask {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                try synchronously(store) { try store.execute("INSERT INTO jack (id) VALUES (2)") }
            }
            try await task.value
            try expect(store.jackIDs(), is: [1, 2])
        },
        StoreConformanceCase(asynchronous: "async calls of a cancelled task end") { store, _ in
            let read = await cancelledTask { try await store.read { _ in } }.result
            try expectError(.interrupted) { try read.get() }
            let write = await cancelledTask {
                try await store.transaction { try store.execute("INSERT INTO jack (id) VALUES (1)") }
            }.result
            try expectError(.interrupted) { try write.get() }
            try expect(store.jackIDs(), is: [])
        },
        StoreConformanceCase(asynchronous: "a cancelled async transaction is rolled back") { store, _ in
            let (isRunning, isCancelled) = (Gate(), DispatchSemaphore(value: 0))
            let task = Task {
                try await store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (1)")
                    isRunning.open()
                    isCancelled.wait()
                    // Also one that ignores errors.
                    for id in Int64(2)...100 { _ = try? store.execute("INSERT INTO jack (id) VALUES (\(id))") }
                }
            }
            try await isRunning.wait()
            task.cancel()
            isCancelled.signal()
            let result = await task.result
            try expectError(.interrupted) { try result.get() }
            try expect(store.jackIDs(), is: [])
        },
        StoreConformanceCase(asynchronous: "cancelling ends the wait of an async transaction") { store, _ in
            let (isRunning, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
            defer { mayEnd.signal() }
            let first = insertion(1, into: store, isRunning, mayEnd)
            try await isRunning.wait()
            let (second, third) = (insertion(2, into: store), insertion(3, into: store))
            second.cancel()
            // The first one has not ended.
            let result = await second.result
            try expectError(.interrupted) { try result.get() }
            mayEnd.signal()
            try await first.value
            try await third.value
            try expect(store.jackIDs(), is: [1, 3])
        },
    ]

    /// Async transactions that wait for another one.
    static let waiting: [StoreConformanceCase] = [
        StoreConformanceCase(asynchronous: "interrupt ends the wait of an async transaction") { store, _ in
            let (isRunning, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
            defer { mayEnd.signal() }
            let first = insertion(1, into: store, isRunning, mayEnd)
            try await isRunning.wait()
            let hasEnded = Gate()
            let second = Task {
                defer { hasEnded.open() }
                try await insertion(2, into: store).value
            }
            let interrupts = Task {
                while !Task.isCancelled {
                    store.interrupt()
                    await Task.yield()
                }
            }
            try await hasEnded.wait()
            interrupts.cancel()
            await interrupts.value
            let result = await second.result
            try expectError(.interrupted) { try result.get() }
            mayEnd.signal()
            try await first.value
            try expect(store.jackIDs(), is: [1])
        },
        StoreConformanceCase(asynchronous: "an async transaction that a body starts runs after it") { store, _ in
            let task = try await store.transaction {
                try store.execute("INSERT INTO jack (id) VALUES (1)")
                return insertion(2, into: store)
            }
            try await task.value
            try expect(store.jackIDs(), is: [1, 2])
        },
        StoreConformanceCase(asynchronous: "async transactions time out", needs: [.busyTimeout]) { _, subject in
            try await subject.run(busyTimeout: .milliseconds(20)) { store in
                let (isRunning, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
                defer { mayEnd.signal() }
                let first = insertion(1, into: store, isRunning, mayEnd)
                try await isRunning.wait()
                let second = await insertion(2, into: store).result
                try expectError(.busy) { try second.get() }
                mayEnd.signal()
                try await first.value
                try await insertion(3, into: store).value
                try expect(store.jackIDs(), is: [1, 3])
            }
        },
        StoreConformanceCase(
            asynchronous: "an async transaction awaited in the body of another one fails", needs: [.busyTimeout]
        ) { _, subject in
            try await subject.run(busyTimeout: .milliseconds(20)) { store in
                let inner = try await store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (1)")
                    let hasEnded = DispatchSemaphore(value: 0)
                    let result = Mutex<Result<Void, any Error>?>(nil)
                    _ = Task {
                        let inner = await insertion(2, into: store).result
                        result.withLock { $0 = inner }
                        hasEnded.signal()
                    }
                    hasEnded.wait()
                    return result.withLock { $0 }
                }
                try expectError(.misuse) { try inner?.get() }
                try expect(store.jackIDs(), is: [1])
            }
        },
        StoreConformanceCase("writing calls time out", needs: [.busyTimeout]) { _, subject in
            try subject.run(busyTimeout: .milliseconds(20)) { store in
                try store.transaction {
                    let hasEnded = onThread {
                        try expectError(.busy) { try store.execute("INSERT INTO jack (id) VALUES (1)") }
                        try expectError(.busy) { try store.transaction {} }
                    }
                    try hasEnded()
                }
                try store.execute("INSERT INTO jack (id) VALUES (2)")
                try expect(store.jackIDs(), is: [2])
            }
        },
    ]

    /// Inserts a row in an async transaction, which opens a gate and waits for a signal, if given.
    private static func insertion(
        _ id: Int64, into store: any LocalStore, _ isRunning: Gate? = nil, _ mayEnd: DispatchSemaphore? = nil
    ) -> Task<Void, any Error> {
        Task {
            try await store.transaction {
                isRunning?.open()
                mayEnd?.wait()
                try store.execute("INSERT INTO jack (id) VALUES (\(id))")
            }
        }
    }

    private static func cancelledTask<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let isCancelled = Gate()
        let task = Task {
            try? await isCancelled.wait()
            return try await body()
        }
        task.cancel()
        isCancelled.open()
        return task
    }

    /// The synchronous form, which the compiler does not choose in an async function.
    private static func synchronously(_ store: any LocalStore, _ body: () throws -> Void) throws {
        try store.transaction(body)
    }
}
