import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct LoopbackServerURLSessionTests {
    private static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    private func send(_ request: URLRequest, in session: URLSession) async throws -> (status: Int, body: String) {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                guard let response = response as? HTTPURLResponse else {
                    return continuation.resume(throwing: error ?? URLError(.unknown))
                }
                continuation.resume(returning: (response.statusCode, String(decoding: data ?? Data(), as: UTF8.self)))
            }.resume()
        }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE"])
    func `client and server understand each other`(method: String) async throws {
        try await LoopbackServer.serving(LoopbackServerTests.echo) { server in
            let session = Self.makeSession()
            defer { session.invalidateAndCancel() }
            var request = URLRequest(url: try server.url(of: "/a"))
            request.httpMethod = method
            let hasBody = ["POST", "PUT"].contains(method)
            if hasBody { request.httpBody = Data(repeating: 0x62, count: 100_000) }
            for _ in 0..<3 {
                let (status, body) = try await send(request, in: session)
                #expect(status == 200)
                let expected = "\(method) /a " + (hasBody ? String(repeating: "b", count: 100_000) : "")
                #expect(body == (method == "HEAD" ? "" : expected))
            }
            #expect(server.requests.map(\.method) == Array(repeating: method, count: 3))
        }
    }

    @Test func `accepts a chunked upload and sends a chunked response`() async throws {
        let service = ClosureService { request in
            var fields = HTTPFields()
            try fields.set(.transferEncoding, to: "chunked")
            return request.response(fields: fields, body: try await request.body.collect())
        }
        try await LoopbackServer.serving(service) { server in
            let session = Self.makeSession()
            defer { session.invalidateAndCancel() }
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            let body = String(repeating: "0123456789", count: 20_000)
            request.httpBodyStream = InputStream(data: Data(body.utf8))
            let response = try await send(request, in: session)
            #expect(response == (200, body))
            #expect(server.requests.first?.fields[.transferEncoding]?.lowercased() == "chunked")
        }
    }

    @Test func `serves parallel requests`() async throws {
        try await LoopbackServer.serving(LoopbackServerTests.echo) { server in
            let session = Self.makeSession()
            defer { session.invalidateAndCancel() }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<200 {
                    let request = URLRequest(url: try server.url(of: "/\(index)"))
                    group.addTask { try await send(request, in: session).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 200)
        }
    }
}
