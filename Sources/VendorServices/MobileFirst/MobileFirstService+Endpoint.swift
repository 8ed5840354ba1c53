extension MobileFirstService {
    /// An endpoint of the server, for counting requests and injecting faults.
    public enum Endpoint: Hashable, Sendable, CaseIterable {
        /// `POST /registration/v1/self`, and `PUT` and `GET` with a client id.
        case registration
        /// `POST /preauth/v1/preauthorize`
        case preauthorization
        /// `POST /preauth/v1/logout`
        case logout
        /// `POST /preauth/v1/heartbeat`
        case heartbeat
        /// `GET /az/v1/authorization`
        case authorization
        /// `POST /az/v1/token`
        case token
        /// `POST /az/v1/introspection`
        case introspection
        /// `GET /reach`
        case reach
        /// Any request below `/adapters/`.
        case adapter
    }
}
