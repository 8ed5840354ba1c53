import HTTPMessages
import PatchbayTestKit
import Transport

/// The requests of the benchmarks of a cache, and a server whose responses are fresh for a day.
enum CacheSamples {
    static let server = FakeTransport { request in
        var response = request.response(body: ServerProcess.responseBody)
        response.head.fields[.cacheControl] = "max-age=86400"
        response.head.fields[.etag] = "\"5f2c\""
        return response
    }

    static func item(_ number: Int, _ method: HTTPMethod = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "https://api.example.com/akula/app/data/item/\(number)")
    }
}
