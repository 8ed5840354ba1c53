import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

/// Records the events of a call.
final class EventLog: TransferObserver {
    private let log = Watched<[TransferEvent]>([])
    var events: [TransferEvent] { log.value }
    func transfer(didEmit event: TransferEvent) { log.update { $0.append(event) } }
}

/// Expects a call to throw a `TransportError`.
func expectFailure<Result>(
    _ code: TransportError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    of call: () async throws -> Result
) async {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { _ = try await call() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
