import Patchbay
import PatchbayTestKit
import Synchronization

/// The server of the example: a list of orders.
final class OrderList: HTTPService {
    private let items = Mutex(["nails"])

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.url.lastPathComponent == "orders" else { return request.response(.notFound) }
        if request.method == .post {
            guard let item = try JSONValue(parsing: await request.body.collect(upTo: 10_000))["item"]?.string else {
                return request.response(.unprocessableContent, json: ["reason": "The item is missing."])
            }
            let id = items.withLock { items in
                items.append(item)
                return items.count
            }
            return request.response(.created, json: Self.json(id, item))
        }
        let orders = items.withLock { $0 }.enumerated().map { Self.json($0.offset + 1, $0.element) }
        return request.response(json: .array(orders))
    }

    private static func json(_ id: Int, _ item: String) -> JSONValue {
        ["id": .integer(Int64(id)), "item": .string(item)]
    }
}
