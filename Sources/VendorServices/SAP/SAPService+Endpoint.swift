public import HTTPMessages

extension SAPService {
    /// An endpoint of the server, for counting requests and injecting faults.
    public enum Endpoint: Hashable, Sendable, CaseIterable {
        /// Any request for `Connections`.
        case connections
        /// Any request below the proxy's name.
        case data
    }

    /// A failure of one request that a test chooses.
    ///
    /// `Fault` of the test kit breaks the connection itself.
    public enum EndpointFault: Hashable, Sendable {
        /// An OData error of this status.
        case failure(HTTPStatus, code: String = "FAULT", message: String = "Injected fault")
        /// No response until the request is cancelled.
        case stall
    }
}
