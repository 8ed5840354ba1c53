public import HTTPMessages

extension MobileFirstService {
    /// A login page in front of a server, as a reverse proxy has it: requests without its cookie get the page.
    ///
    /// `POST {server path}/gateway/login` with the form fields `j_username` and `j_password` responds 200 and sets the
    /// cookie, or 403.
    public struct Gateway: Sendable {
        /// The status of the page. A 3xx also has a `Location`.
        public let status: HTTPStatus
        /// The endpoints behind the gateway.
        public let endpoints: Set<Endpoint>
        let admits: @Sendable (_ user: String, _ password: String) -> Bool

        /// Creates a gateway.
        /// - Parameters:
        ///   - users: passwords by user name; default `ann` with the password `open sesame`.
        ///   - status: status of the page; default 401, without a `WWW-Authenticate` of the server.
        ///   - endpoints: endpoints behind the gateway; default the adapters.
        public init(
            users: [String: String] = ["ann": "open sesame"], status: HTTPStatus = .unauthorized,
            endpoints: Set<Endpoint> = [.adapter]
        ) {
            self.status = status
            self.endpoints = endpoints
            admits = { users[$0] == $1 }
        }
    }
}
