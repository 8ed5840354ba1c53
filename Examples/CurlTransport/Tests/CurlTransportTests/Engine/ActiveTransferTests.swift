import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import CurlTransport

@Suite struct ActiveTransferTests {
    /// 2 MiB of zeros in zstd: 16 blocks of one repeated byte, and an empty one.
    private static let coded: [UInt8] =
        [0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3] + Array(repeating: [0x02, 0, 0x10, 0], count: 16).joined() + [1, 0, 0]

    private static let metrics = TransferMetrics(
        httpVersion: "1.1", isConnectionReused: false, resolved: nil, connected: nil, secured: nil, firstByte: nil,
        total: .zero, bytesSent: 0, bytesReceived: 0, remoteAddress: nil)

    @Test func `a body that decodes to much more leaves the thread to others in between`() async throws {
        let context = LoopContext(
            Mailbox(try #require(Wakeup())), clock: EngineClock(ContinuousClock()), codings: .system)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        let response = try await withCheckedThrowingContinuation { continuation in
            let transfer = ActiveTransfer(
                Call(
                    Call.makeID(), request, relay: nil, body: .none,
                    target: RequestTarget(request, acceptEncoding: ""), recipient: .buffered(continuation)),
                in: context)
            transfer.started()
            for line in ["HTTP/1.1 200 OK\r\n", "Content-Encoding: zstd\r\n", "\r\n"] {
                #expect(Array(line.utf8).withUnsafeBytes(transfer.receiveLine))
            }
            // libcurl delivers several pieces in one round.
            for piece in [Self.coded.prefix(18), Self.coded.dropFirst(18)] {
                #expect(Array(piece).withUnsafeBytes(transfer.receiveBody) == .taken)
            }
            var received: [Int64] = []
            // More bytes of the network wait for those that it has.
            #expect(Self.coded.withUnsafeBytes(transfer.receiveBody) == .pause)
            while !context.decoding.isEmpty {
                received.append(transfer.state.received)
                #expect(context.decoding.count == 1 && !transfer.hasEnded)
                #expect(!transfer.continueReceiving() && context.decoding.count == 1)
                #expect(context.beginRound().decoding.count == 1)
                #expect(transfer.continueReceiving() == context.decoding.isEmpty)
            }
            #expect(received == [1, 2, 3, 4].map { $0 * Int64(TransferTurn.decodingShare) })
            transfer.networkEnded(nil, metrics: Self.metrics)
            #expect(transfer.hasEnded && transfer.error == nil)
            _ = transfer.finish(nil)
            context.deliver()
        }
        #expect(response.body == Data(count: 2 << 20))
    }

    @Test(arguments: [true, false])
    func `a request that is sent again waits for 100 (Continue) again`(rewinds: Bool) async throws {
        let context = LoopContext(Mailbox(try #require(Wakeup())), clock: EngineClock(ManualClock()), codings: .system)
        let timeouts = Timeouts(response: .seconds(10), idle: nil, send: .seconds(2))
        var request = try HTTPRequest(.put, "http://patchbay.test/", body: .text("hello"))
        request.options.timeouts = timeouts
        request.options.continueTimeout = .seconds(1)
        let error = await transportError {
            _ = try await withCheckedThrowingContinuation { continuation in
                let transfer = ActiveTransfer(
                    Call(
                        Call.makeID(), request, relay: nil, body: .pumped(RequestBodyPump(request.body) {}),
                        target: RequestTarget(request, acceptEncoding: ""), recipient: .buffered(continuation)),
                    in: context)
                var room = [UInt8](repeating: 0, count: 100)
                transfer.started()
                #expect(transfer.willSendRequest())
                for _ in 0..<2 {
                    #expect(transfer.state.deadline == .seconds(10))
                    _ = room.withUnsafeMutableBytes { transfer.sendBody(into: $0) }
                    #expect(transfer.state.deadline == .seconds(2))
                    if rewinds { #expect(transfer.rewindBody()) } else { #expect(transfer.willSendRequest()) }
                }
                #expect(transfer.state.deadline == .seconds(10))
                _ = transfer.finish(transfer.state.error(.connectionLost, "The end of the test."))
                context.deliver()
            }
        }
        #expect(error?.code == .connectionLost)
    }

    @Test func `a body that is sent again has the send timeout again`() async throws {
        let context = LoopContext(Mailbox(try #require(Wakeup())), clock: EngineClock(ManualClock()), codings: .system)
        var request = try HTTPRequest(.put, "http://patchbay.test/", body: .text("hello"))
        request.options.timeouts = Timeouts(response: nil, idle: nil, send: .seconds(2))
        let error = await transportError {
            _ = try await withCheckedThrowingContinuation { continuation in
                let transfer = ActiveTransfer(
                    Call(
                        Call.makeID(), request, relay: nil, body: .pumped(RequestBodyPump(request.body) {}),
                        target: RequestTarget(request, acceptEncoding: ""), recipient: .buffered(continuation)),
                    in: context)
                transfer.started()
                #expect(transfer.willSendRequest())
                #expect(context.deadlines.first == .seconds(2))
                // The loop has found that the system has all bytes, so that no timeout is left.
                _ = context.deadlines.popDue(at: .seconds(2))
                #expect(transfer.rewindBody())
                #expect(context.deadlines.first == .seconds(2))
                _ = transfer.finish(transfer.state.error(.connectionLost, "The end of the test."))
                context.deliver()
            }
        }
        #expect(error?.code == .connectionLost)
    }

    @Test(arguments: [nil, .http1, .http2] as [HTTPVersionPreference?])
    func `a response without TLS is one of HTTP/2 if the request asks for that`(version: HTTPVersionPreference?)
        async throws
    {
        let context = LoopContext(
            Mailbox(try #require(Wakeup())), clock: EngineClock(ContinuousClock()), codings: .system)
        var request = try HTTPRequest(.get, "http://patchbay.test/")
        request.options.httpVersion = version
        let error = await transportError {
            _ = try await withCheckedThrowingContinuation { continuation in
                let call = Call(
                    Call.makeID(), request, relay: nil, body: .none,
                    target: RequestTarget(request, acceptEncoding: ""), recipient: .buffered(continuation))
                let transfer = ActiveTransfer(call, in: context)
                transfer.started()
                // A server may claim it.
                for line in ["HTTP/2 200 \r\n", "\r\n"] {
                    #expect(Array(line.utf8).withUnsafeBytes(transfer.receiveLine))
                }
                #expect(transfer.mayBeMultiplexed == (version == .http2))
                #expect(transfer.isMultiplexed == (version == .http2))
                #expect(context.multiplexedOrigins.isEmpty == (version != .http2))
                for (library, choice) in [
                    (CurlVersion(7, 88), version == .http2 ? ConnectionChoice.own : .any), (CurlVersion(8, 1), .any),
                ] { #expect(ConnectionChoice(for: call, .automatic, library) == choice) }
                transfer.networkEnded(nil, isCut: transfer.isMultiplexed, metrics: Self.metrics)
                _ = transfer.finish(transfer.error)
                context.deliver()
            }
        }
        #expect(error?.code == (version == .http2 ? .truncated : nil))
    }

    @Test func `many small pieces leave the thread to others in between`() async throws {
        let context = LoopContext(
            Mailbox(try #require(Wakeup())), clock: EngineClock(ContinuousClock()), codings: .system)
        let request = try HTTPRequest(.get, "http://patchbay.test/")
        _ = try await withCheckedThrowingContinuation { continuation in
            let transfer = ActiveTransfer(
                Call(
                    Call.makeID(), request, relay: nil, body: .none,
                    target: RequestTarget(request, acceptEncoding: ""), recipient: .buffered(continuation)),
                in: context)
            transfer.handle = (try? CurlLibrary.system.get()).flatMap { EasyHandle($0) }
            transfer.started()
            for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
                #expect(Array(line.utf8).withUnsafeBytes(transfer.receiveLine))
            }
            for round in 0..<3 {
                for number in 1...TransferTurn.maximumPieces + 5 {
                    // libcurl may have more pieces of the buffer that it has read.
                    #expect([UInt8(1)].withUnsafeBytes(transfer.receiveBody) == .taken)
                    #expect(transfer.pausesReceiving == (number >= TransferTurn.maximumPieces), "\(round) \(number)")
                }
                #expect(context.hasWaiting && context.beginRound().yielding.count == 1 && !context.hasWaiting)
                transfer.endYielding()
                #expect(!transfer.pausesReceiving)
            }
            transfer.networkEnded(nil, metrics: Self.metrics)
            _ = transfer.finish(nil)
            context.deliver()
        }
    }
}
