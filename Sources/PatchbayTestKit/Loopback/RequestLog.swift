import Synchronization

/// The requests that a server has received, in order.
///
/// Requests beyond the capacity are counted without a lock: all connections would contend for it in benchmarks.
final class RequestLog: Sendable {
    private let capacity: Int
    private let total = Atomic(0)
    private let waiters = Atomic(0)
    private let recorded = Watched<[RecordedRequest]>([])
    private let isClosed = Atomic(false)

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { total.load(ordering: .sequentiallyConsistent) }
    var requests: [RecordedRequest] { recorded.value }

    /// Numbers a request, and records it up to the capacity.
    func record(_ request: RecordedRequest) -> RecordedRequest {
        var request = request
        if count < capacity {
            request.number = recorded.update { [request] recorded in
                var request = request
                request.number = takeNumber()
                if request.number < capacity { recorded.append(request) }
                return request.number
            }
        } else {
            request.number = takeNumber()
            // A waiting task increments `waiters` before it reads the count, so it cannot miss this update.
            if waiters.load(ordering: .sequentiallyConsistent) > 0 { recorded.update { _ in } }
        }
        return request
    }

    /// Ends the waits that no further request can meet.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        recorded.update { _ in }
    }

    func wait(for count: Int) async throws -> [RecordedRequest] {
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        let requests = try await recorded.wait { [self] _ in
            self.count >= count || isClosed.load(ordering: .sequentiallyConsistent)
        }
        guard self.count >= count else {
            throw LoopbackError.stopped("it has received \(self.count) requests, and the test waits for \(count)")
        }
        return requests
    }

    private func takeNumber() -> Int { total.add(1, ordering: .sequentiallyConsistent).oldValue }
}
