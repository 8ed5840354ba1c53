import HTTPMessages

extension SAPService {
    /// An error response with an OData error.
    struct Failure: Error {
        var status: HTTPStatus
        var code: String
        var message: String
        /// Values of `WWW-Authenticate`.
        var challenges: [String] = []

        static let notFound = Failure(status: .notFound, code: "NOT_FOUND", message: "No such resource")
        static let methodNotAllowed = Failure(
            status: .methodNotAllowed, code: "METHOD_NOT_ALLOWED", message: "Method not allowed")
        static func badRequest(_ message: String) -> Failure {
            Failure(status: .badRequest, code: "BAD_REQUEST", message: message)
        }
        /// A failed `If-Match`, or one that is missing.
        static func precondition(_ code: Int, _ message: String) -> Failure {
            Failure(status: HTTPStatus(code) ?? .badRequest, code: "PRECONDITION", message: message)
        }

        /// The error in XML (namespace of the metadata) or JSON.
        func response(to request: HTTPRequest) throws -> HTTPResponse {
            var response = try document(as: ODataFormat(request)).response(status, to: request)
            for challenge in challenges { try response.head.fields.append(.wwwAuthenticate, challenge) }
            return response
        }

        private func document(as format: ODataFormat) -> ODataDocument {
            switch format {
            case .json:
                .json(["error": ["code": .string(code), "message": ["lang": "en", "value": .string(message)]]])
            case .atom:
                .xml(
                    """
                    <error xmlns="\(ODataNamespace.metadata)"><code>\(code.xmlEscaped)</code>\
                    <message xml:lang="en">\(message.xmlEscaped)</message></error>
                    """, type: "application/xml")
            }
        }
    }
}

extension HTTPRequest {
    /// Throws 405 unless the method has one of these names.
    func require(_ names: String...) throws(SAPService.Failure) {
        guard names.contains(method.name) else { throw .methodNotAllowed }
    }
}
