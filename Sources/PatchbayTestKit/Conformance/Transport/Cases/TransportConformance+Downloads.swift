import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A service for a file with range requests.
    private static func file(_ bytes: Data, tag: String = "\"1\"") -> ClosureService {
        ClosureService { request in
            var fields = try HTTPFields(["ETag": tag, "Accept-Ranges": "bytes"])
            let part = request.fields[.range].flatMap { RangeField(parsing: $0)?.parts.first }
            guard let range = part?.range(inLength: Int64(bytes.count)), request.fields[.ifRange] == tag else {
                return request.response(fields: fields, body: bytes)
            }
            try fields.set(
                .contentRange, to: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)")
            let rest = bytes.dropFirst(Int(range.lowerBound)).prefix(range.count)
            return request.response(.partialContent, fields: fields, body: Data(rest))
        }
    }

    /// A case with its own folder, in which `target` does not exist yet.
    private static func downloads(
        _ name: String, _ service: some HTTPService, needs: Set<ConformanceSubject.Capability> = [],
        faults: @escaping @Sendable (Int) -> Fault? = { _ in nil },
        _ body: @escaping @Sendable (ConformanceRig, _ target: URL) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: needs.union([.streaming])) { subject in
            let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await subject.serving(service, faults: faults) { rig in
                try await body(rig, folder.appending(path: "target"))
            }
        }
    }

    private static func siblings(of target: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: target.deletingLastPathComponent().path).sorted()
    }

    private static func expectDownloadError(
        _ code: DownloadError.Code, of call: () async throws -> DownloadedFile
    ) async throws {
        do {
            let file = try await call()
            throw ConformanceFailure("expected a failure with \(code), got \(file.byteCount) bytes")
        } catch let error as DownloadError {
            try expect(error.code, is: code, "the code")
        }
    }

    /// Downloads to a file.
    static let downloads: [ConformanceCase] = [
        downloads("a download leaves its file, and nothing beside it", file(.sample(3 << 20))) { rig, target in
            for _ in 0..<2 {
                let file = try await rig.streaming.download(rig.request(limit: 10), to: target)
                try expect(file.byteCount, is: 3 << 20, "the length")
                try expect(Data(contentsOf: target), is: .sample(3 << 20))
                try expect(siblings(of: target), is: ["target"], "the list of files")
            }
        },
        downloads("a 404 leaves no file", ClosureService { $0.response(.notFound, text: "not here") }) {
            rig, target in
            try await expectDownloadError(.unacceptableStatus) {
                try await rig.streaming.download(rig.request(), to: target)
            }
            try expect(siblings(of: target), is: [], "the list of files")
        },
        downloads("a download over the limit leaves nothing", file(.sample(100_000))) { rig, target in
            let options = DownloadOptions(maximumBytes: 99_999)
            try await expectDownloadError(.tooLarge) {
                try await rig.streaming.download(rig.request(), to: target, options: options)
            }
            try expect(siblings(of: target), is: [], "the list of files")
        },
        downloads(
            "a truncated download leaves the existing file", file(.sample(100_000)), needs: [.faults],
            faults: { _ in .close(.inBody) }
        ) { rig, target in
            try Data("old".utf8).write(to: target)
            try await expectError(.truncated) { try await rig.streaming.download(rig.request(), to: target) }
            try expect(Data(contentsOf: target), is: Data("old".utf8))
            try expect(siblings(of: target), is: ["target"], "the list of files")
        },
        downloads(
            "a download that is cancelled leaves nothing", file(.sample(100_000)), needs: [.faults],
            faults: { _ in .stall(.inBody) }
        ) { rig, target in
            let request = try rig.request()
            let call = Task { try await rig.streaming.download(request, to: target) }
            try await rig.requests(count: 1)
            call.cancel()
            try await expectError(.cancelled) { try await call.value }
            try expect(siblings(of: target), is: [], "the list of files")
        },
        downloads(
            "a download resumes after each of several interruptions", file(.sample(1 << 20)), needs: [.faults],
            faults: { $0 < 4 ? .close(.inBody) : nil }
        ) { rig, target in
            let options = DownloadOptions(resumes: true)
            for _ in 0..<4 {
                try await expectError(.truncated) {
                    try await rig.streaming.download(rig.request(), to: target, options: options)
                }
            }
            let file = try await rig.streaming.download(rig.request(), to: target, options: options)
            try expect(Data(contentsOf: target), is: .sample(1 << 20))
            try expect(siblings(of: target), is: ["target"], "the list of files")
            try expect(file.resumedBytes, is: 15 << 16, "the number of resumed bytes")
        },
        downloads(
            "a download starts over when the file has changed",
            ClosureService { request in
                let isNew = request.fields.contains(.range)
                return try await file(isNew ? .sample(5_000) : .sample(9_000), tag: isNew ? "\"2\"" : "\"1\"")
                    .respond(to: request)
            }, needs: [.faults], faults: { $0 == 0 ? .close(.inBody) : nil }
        ) { rig, target in
            let options = DownloadOptions(resumes: true)
            try await expectError(.truncated) {
                try await rig.streaming.download(rig.request(), to: target, options: options)
            }
            let file = try await rig.streaming.download(rig.request(), to: target, options: options)
            try expect(file.resumedBytes, is: 0, "the number of resumed bytes")
            try expect(Data(contentsOf: target), is: .sample(5_000))
        },
    ]
}
