import Foundation
import HTTPMessages
import Testing

@testable import Signing

@Suite struct AWSChunkEncoderTests {
    @Test func `the length of chunks is that of what is sent`() async throws {
        let scope = try AWSSigningScope(
            AWSCredentials(accessKeyID: "a", secretAccessKey: "b"), region: "r", service: "s", at: Date())
        for count in [0, 1, 15, 16, 17, 31, 32, 100] {
            let length = try #require(AWSChunkEncoder.encodedLength(of: Int64(count), chunkSize: 16))
            let encoder = AWSChunkEncoder(scope, chunkSize: 16, seed: "")
            let body = encoder.body(.bytes(Data(count: count)), encodedLength: length)
            #expect(try await Int64(body.collect().count) == length && body.length == length, "\(count) bytes")
        }
    }

    @Test func `a length beyond that of integers is no length`() {
        for size in [AWSChunkEncoder.sizes.lowerBound, AWSChunkEncoder.sizes.upperBound] {
            #expect(AWSChunkEncoder.encodedLength(of: .max, chunkSize: size) == nil)
            #expect(AWSChunkEncoder.encodedLength(of: .max - 85, chunkSize: size) == nil)
            #expect(AWSChunkEncoder.encodedLength(of: .max / 2, chunkSize: size) != nil)
        }
    }

    @Test(arguments: [
        (Int.max, Int64(1)), (67_108_865, 1), (8191, 1), (-1, 1), (65_536, .max), (67_108_864, .max - 100),
    ])
    func `a size or a length that cannot be sent is refused`(size: Int, length: Int64) async throws {
        let credentials = AWSCredentials(accessKeyID: "a", secretAccessKey: "b")
        let signer = AWSSignatureV4.awsV4(
            .fixed(credentials), region: "r", service: "s3", payload: .chunked(size: size))
        var request = try HTTPRequest(
            .put, "https://a.example/", body: .stream(AsyncStream<Data> { $0.finish() }, length: length))
        let error = await #expect(throws: SigningError.self) { try await signer.sign(&request, at: Date()) }
        #expect(error?.code == .invalidParameter)
    }
}
