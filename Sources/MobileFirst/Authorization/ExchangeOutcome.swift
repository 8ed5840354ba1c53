/// The outcome of an exchange, and what the challenge handlers are told after it: so they can start the next one.
struct ExchangeOutcome<Value: Sendable>: Sendable {
    let result: Result<Value, any Error>
    /// Nil if no check was passed or failed.
    let report: HandlerRegistry.Report?

    init(_ report: HandlerRegistry.Report? = nil, _ body: () async throws -> Value) async {
        self.report = report
        do { result = .success(try await body()) } catch { result = .failure(error) }
    }

    init(failure: any Error) { (result, report) = (.failure(failure), nil) }

    /// True if the server does not know the registration.
    var isInvalidClientID: Bool {
        if case .failure(let error as WLError) = result { error.code == .invalidClientID } else { false }
    }
}
