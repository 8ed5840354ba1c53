import Foundation
import HTTPMessages
import PatchbayTestKit

extension MobileFirstService {
    /// An error response in the server's JSON format.
    struct Failure: Error {
        var status: HTTPStatus
        /// Value of `errorCode`; for OAuth errors of RFC 6749 also of `error`, in lower case.
        var code: String
        var text: String
        var isOAuth = false
        var challenge: String?
        var isConflict = false

        static let notFound = Failure(status: .notFound, code: "NOT_FOUND", text: "No such endpoint")
        static let methodNotAllowed = Failure(
            status: .methodNotAllowed, code: "METHOD_NOT_ALLOWED", text: "Method not allowed")
        static let invalidClientID = Failure(
            status: .badRequest, code: "INVALID_CLIENT_ID", text: "The client is not registered; register again")
        static let conflict = Failure(
            status: .conflict, code: "CONFLICT", text: "Conflict; retry the request", isConflict: true)

        static func invalidRequest(_ text: String) -> Failure {
            Failure(status: .badRequest, code: "INVALID_REQUEST", text: text)
        }
        /// An error of the token endpoint (RFC 6749, section 5.2).
        static func oauth(_ code: String, _ text: String) -> Failure {
            Failure(status: .badRequest, code: code.uppercased(), text: text, isOAuth: true)
        }

        func response(to request: HTTPRequest) throws -> HTTPResponse {
            var members: [String: JSONValue] = ["errorCode": .string(code), "errorMsg": .string(text)]
            if isOAuth {
                members["error"] = .string(code.lowercased())
                members["error_description"] = .string(text)
            }
            var response = request.response(status, json: .object(members))
            if let challenge { try response.head.fields.set(.wwwAuthenticate, to: challenge) }
            if isConflict { try response.head.fields.set("MFP-Conflict", to: "true") }
            return response
        }
    }
}

extension HTTPRequest {
    func require(_ methods: HTTPMethod...) throws(MobileFirstService.Failure) {
        guard methods.contains(method) else { throw .methodNotAllowed }
    }

    /// The body as a JSON object.
    func jsonObject() async throws -> [String: JSONValue] {
        guard mediaType?.subtype == "json", let value = try? JSONValue(parsing: try await body.collect()),
            let members = value.object
        else {
            throw MobileFirstService.Failure.invalidRequest("The body is not a JSON object of type application/json")
        }
        return members
    }

    /// The body as a form.
    func form() async throws -> Parameters {
        guard mediaType?.subtype == "x-www-form-urlencoded" else {
            throw MobileFirstService.Failure.invalidRequest(
                "The body is not a form of type application/x-www-form-urlencoded")
        }
        return Parameters(String(decoding: try await body.collect(), as: UTF8.self))
    }

    var mediaType: MediaType? { fields[.contentType].flatMap { MediaType(parsing: $0) } }
}
