import Synchronization

/// The requests that a server has received, in order.
///
/// All connections meet here, so those that are only counted take no lock: measurements would show it.
final class RequestLog: Sendable {
    private let capacity: Int
    private let total = Atomic(0)
    private let waiters = Atomic(0)
    private let kept = Watched<[RecordedRequest]>([])

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { total.load(ordering: .sequentiallyConsistent) }
    var requests: [RecordedRequest] { kept.value }

    /// Numbers a request and keeps it while there is room.
    func record(_ request: RecordedRequest) -> RecordedRequest {
        var request = request
        if count < capacity {
            request.number = kept.update { [request] kept in
                var request = request
                request.number = takeNumber()
                if request.number < capacity { kept.append(request) }
                return request.number
            }
        } else {
            request.number = takeNumber()
            // Whoever waits has said so before looking at the count.
            if waiters.load(ordering: .sequentiallyConsistent) > 0 { kept.update { _ in } }
        }
        return request
    }

    func wait(for count: Int) async throws -> [RecordedRequest] {
        waiters.add(1, ordering: .sequentiallyConsistent)
        defer { waiters.subtract(1, ordering: .sequentiallyConsistent) }
        return try await kept.wait { [self] _ in self.count >= count }
    }

    private func takeNumber() -> Int { total.add(1, ordering: .sequentiallyConsistent).oldValue }
}
