import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

/// Expects a call to throw a `TransportError`.
func expectFailure<Result>(
    _ code: TransportError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    of call: () async throws -> Result
) async {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { _ = try await call() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}
