import Foundation
import HTTPMessages

extension HyperHiveService {
    /// A response whose tables are produced while they are sent.
    struct Response: Sendable {
        enum Content: Sendable {
            case data(Data)
            case tables(TableDocument)
        }
        /// The value of `Content-Version`.
        struct Version: Sendable {
            var base: Int
            let target: Int
            let form: VersionForm
        }

        var status: HTTPStatus
        var fields: [String: String] = [:]
        var version: Version?
        var content: Content

        init(_ status: HTTPStatus = .ok, json: JSONValue) {
            self.status = status
            content = .data(Data(json.description.utf8))
        }

        init(_ status: HTTPStatus = .ok, tables: TableDocument) {
            self.status = status
            content = .tables(tables)
        }

        /// A response without a body.
        init(empty status: HTTPStatus) {
            self.status = status
            content = .data(Data())
        }

        /// True without a body, which HTTP forbids for 204 and 304.
        var isEmpty: Bool {
            if status == .noContent || status == .notModified { return true }
            return if case .data(let data) = content { data.isEmpty } else { false }
        }

        var body: HTTPBody {
            switch content {
            case .data(let data): .bytes(data)
            case .tables(let document): .generated { TableReader(document) }
            }
        }

        /// The header fields, without those of framing.
        func headerFields(for request: HTTPRequest) throws -> HTTPFields {
            var fields = try HTTPFields(self.fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            if !isEmpty { try fields.set(.contentType, to: "application/json; charset=utf-8") }
            if let version {
                try fields.set("Content-Version", to: version.form.text(version.base, version.target))
            }
            if request.fields["Origin"] != nil { try fields.set("Access-Control-Allow-Origin", to: "*") }
            return fields
        }
    }

    /// An error response.
    struct Failure: Error {
        let status: HTTPStatus
        let message: String
        var fields: [String: String] = [:]

        init(_ status: HTTPStatus, _ message: String) {
            self.status = status
            self.message = message
        }

        static let notFound = Failure(.notFound, "No such path")
        static func badRequest(_ message: String) -> Failure { Failure(.badRequest, message) }

        var response: Response {
            var response = Response(
                status, json: ["code": .integer(Int64(status.code)), "description": .string(message)])
            response.fields = fields
            return response
        }
    }
}

extension HyperHiveService.Response.Content {
    mutating func truncate(to count: Int) {
        switch self {
        case .data(let data): self = .data(data.prefix(count))
        case .tables(var document):
            document.limit = count
            self = .tables(document)
        }
    }

    mutating func damage(_ table: String, _ fault: HyperHiveService.TableFault) {
        guard case .tables(var document) = self else { return }
        document.damage(table, fault)
        self = .tables(document)
    }
}

extension HTTPRequest {
    /// Throws 405 unless the method has one of these names.
    func requireMethod(_ names: String...) throws(HyperHiveService.Failure) {
        guard names.contains(method.name) else {
            var failure = HyperHiveService.Failure(.methodNotAllowed, "Method not allowed; use \(names[0])")
            failure.fields["Allow"] = names.joined(separator: ", ")
            throw failure
        }
    }
}
