import Transport

extension TestTransport {
    /// The linked engines by name.
    static let engines: [String: Factory] = ["urlsession": { URLSessionTransport(clock: $0) }]
}
