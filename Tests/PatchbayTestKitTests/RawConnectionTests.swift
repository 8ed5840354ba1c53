import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct RawConnectionTests {
    @Test func `receives and sends raw bytes`() async throws {
        let server = try LoopbackServer(connections: { connection in
            let bytes = try connection.receive() ?? Data()
            try connection.send("<" + String(decoding: bytes, as: UTF8.self) + ">")
        })
        try await server.stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("\u{16}\u{3}not HTTP")
            #expect(await client.readToEnd() == "<\u{16}\u{3}not HTTP>")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `sends a response chunk by chunk`() async throws {
        let gates = [Gate(), Gate()]
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for (gate, chunk) in zip(gates, ["data: 1\n\n", "data: 2\n\n"]) {
                try await gate.wait()
                try connection.send(chunk: Data(chunk.utf8))
            }
            try connection.send(chunk: Data())
        })
        try await server.stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse(hasBody: false).status == 200)
            for (index, gate) in gates.enumerated() {
                gate.open()
                #expect(try await client.read(exactly: 14) == "9\r\ndata: \(index + 1)\n\n\r\n")
            }
            #expect(await client.readToEnd() == "0\r\n\r\n")
        }
    }

    @Test func `can leave a body unread and respond early`() async throws {
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest(readsBody: false) else { return }
            #expect(request.body.isEmpty)
            try connection.send("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")
            #expect(try connection.receive() == Data("abc".utf8))
            connection.stall()
        })
        try await server.stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.readResponse().status == 413)
            try client.send("abc")
        }
    }

    @Test(arguments: [true, false]) func `reads a body later, with or without 100 Continue`(sends: Bool) async throws {
        let server = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            let body = try connection.receiveBody(sendsContinue: sends)
            // It has been read.
            #expect(try connection.receiveBody().isEmpty)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            try connection.send(body)
        })
        try await server.stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            if sends { #expect(try await client.read(exactly: 25) == "HTTP/1.1 100 Continue\r\n\r\n") }
            try client.send("abc")
            #expect(await client.readToEnd() == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
        }
    }

    @Test func `a service's trailers follow its chunked body`() async throws {
        let trailers = try HTTPFields([("X-Sum", "1"), ("X-Sum", "2")])
        let server = try LoopbackServer { $0.response(body: Data("ok".utf8), trailers: trailers) }
        try await server.stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = try #require(await client.readToEnd())
            #expect(text.hasSuffix("\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n"), "\(text)")
        }
    }

    @Test func `reports invalid requests and lost connections`() async throws {
        let codes = Watched<[LoopbackError.Code?]>([])
        let server = try LoopbackServer(connections: { connection in
            do throws(LoopbackError) {
                let request = try connection.receiveRequest()
                codes.update { $0.append(request == nil ? nil : .cannotListen) }
            } catch {
                codes.update { $0.append(error.code) }
            }
        })
        try await server.stopping { server in
            for (index, bytes) in ["no request\r\n\r\n", "GET / HT", ""].enumerated() {
                let client = try RawClient(port: server.port)
                try client.send(bytes)
                client.socket.finishSending()
                try await codes.wait { $0.count > index }
            }
        }
        #expect(codes.value == [.refusedRequest, .connectionLost, nil])
    }
}
