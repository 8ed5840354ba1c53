/// The requests that a server has received, in order.
final class RequestLog: Sendable {
    private struct State {
        var count = 0
        var requests: [RecordedRequest] = []
    }

    private let state = Watched(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { state.value.count }
    var requests: [RecordedRequest] { state.value.requests }

    /// Numbers a request and keeps it.
    func record(_ make: (Int) -> RecordedRequest) -> RecordedRequest {
        state.update { state in
            let request = make(state.count)
            state.count += 1
            if state.requests.count < capacity { state.requests.append(request) }
            return request
        }
    }

    func wait(for count: Int) async throws -> [RecordedRequest] {
        try await state.wait { $0.count >= count }.requests
    }
}
