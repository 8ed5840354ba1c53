import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import VendorServices

/// The server of the soak: users' data, effects that are counted, and the back ends of two vendors.
///
/// | endpoint | behavior |
/// |---|---|
/// | `GET /me/{n}` | the user of the request's credentials, cacheable by that user; 401 without |
/// | `GET /bytes/{n}` | a body of `n` bytes |
/// | `POST /effects/{name}` | counts an effect: 201 |
/// | `/orders` | ``VendorServices/OrderService`` |
/// | `/akula/...`, `/mfp/...` | ``VendorServices/AkulaService``, ``VendorServices/MobileFirstService`` |
final class SoakService: HTTPService {
    static let users = ["ada", "tea", "zoe"]

    let orders = OrderService()
    let akula = AkulaService(
        path: "/akula/app", users: Dictionary(uniqueKeysWithValues: users.map { ($0, "password") }))
    let mobileFirst = MobileFirstService()
    private let effects = Mutex([String: Int]())

    /// The number of effects by name.
    var effectCounts: [String: Int] { effects.withLock(\.self) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let path = request.url.path().split(separator: "/").map(String.init)
        switch path.first {
        case "akula": return try await akula.respond(to: request)
        case "mfp": return try await mobileFirst.respond(to: request)
        case "orders": return try await orders.respond(to: request)
        case "bytes": return request.response(body: Data(count: path.last.flatMap(Int.init) ?? 0))
        case "effects":
            _ = try await request.body.collect()
            effects.withLock { $0[path.last ?? "", default: 0] += 1 }
            return request.response(.created, json: ["done": true])
        case "me":
            guard let user = Self.user(of: request) else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Basic realm=\"soak\", Bearer"]))
            }
            let fields = try HTTPFields([
                "Content-Type": "application/json", "Cache-Control": "private, max-age=1, stale-if-error=5",
                "ETag": "\"\(path.last ?? "")-\(user)\"",
            ])
            if let tag = fields["ETag"], request.fields[.ifNoneMatch] == tag {
                return request.response(.notModified, fields: fields)
            }
            return HTTPResponse(
                status: .ok, fields: fields, body: Data("{\"user\":\"\(user)\"}".utf8), url: request.url)
        default: return request.response(.notFound)
        }
    }

    /// The user of `Bearer {user}` or of Basic credentials.
    private static func user(of request: HTTPRequest) -> String? {
        let words = (request.fields[.authorization] ?? "").split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        if words[0] == "Bearer" { return words[1].split(separator: "-").first.map(String.init) }
        let pair = Data(base64Encoded: words[1]).map { String(decoding: $0, as: UTF8.self) }
        return pair?.split(separator: ":").first.map(String.init)
    }
}
