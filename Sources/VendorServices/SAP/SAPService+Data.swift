import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension SAPService {
    func data(_ exchange: Exchange) throws -> HTTPResponse {
        let request = exchange.request
        let options = try QueryOptions(request)
        switch exchange.path.target {
        case .flights where request.method == .post: return try createFlight(exchange)
        case .flights:
            try request.require("GET", "HEAD", "POST")
            return try flights(exchange, options)
        case .flight(let key):
            try request.require("GET", "HEAD", "PUT", "MERGE", "PATCH", "DELETE")
            return request.method.isSafe ? try flight(key, exchange) : try changeFlight(key, exchange)
        case .download(let count):
            try request.require("GET", "HEAD")
            return request.response(
                fields: try HTTPFields(["Content-Type": "application/octet-stream"]),
                body: Data(repeating: UInt8(ascii: "."), count: count))
        case .serviceDocument, .connections, .connection:
            try request.require("GET", "HEAD")
            let base = request.origin.text + exchange.path.root + "/"
            return try ODataDocument.service(base: base, sets: ["Flights"], as: ODataFormat(request))
                .response(to: request)
        }
    }

    private func flights(_ exchange: Exchange, _ options: QueryOptions) throws -> HTTPResponse {
        let all = state.withLock { $0.flights }.sorted { $0.key < $1.key }
        let page = all.dropFirst(options.skip).prefix(options.top ?? all.count)
        let entries = page.map { entry(of: $0.value, key: $0.key, in: exchange) }
        let url = exchange.request.origin.text + exchange.path.root + "/Flights"
        return try ODataDocument.feed(entries, url: url, as: ODataFormat(exchange.request))
            .response(to: exchange.request)
    }

    private func flight(_ key: String, _ exchange: Exchange) throws -> HTTPResponse {
        guard let record = state.withLock({ $0.flights[key] }) else { throw Failure.notFound }
        var response: HTTPResponse
        if let list = exchange.request.fields[.ifNoneMatch], ETagList(list).matches(record.etag) {
            response = exchange.request.response(.notModified)
        } else {
            response = try entry(of: record, key: key, in: exchange).document(as: ODataFormat(exchange.request))
                .response(to: exchange.request)
        }
        try response.head.fields.set(.etag, to: record.etag)
        return response
    }

    private func createFlight(_ exchange: Exchange) throws -> HTTPResponse {
        var values = try EntityType.flight.values(in: exchange).compactMapValues { $0 }
        let key = values.removeValue(forKey: EntityType.flightKey) ?? configuration.makeID()
        let record = Record(values: values)
        try state.withLock { state throws(Failure) in
            guard state.flights[key] == nil else {
                throw Failure(status: .conflict, code: "CONFLICT", message: "The flight \(key) exists already")
            }
            state.flights[key] = record
        }
        let entry = entry(of: record, key: key, in: exchange)
        var response = try entry.document(as: ODataFormat(exchange.request)).response(.created, to: exchange.request)
        try response.head.fields.set(.location, to: entry.url)
        try response.head.fields.set(.etag, to: record.etag)
        return response
    }

    private func changeFlight(_ key: String, _ exchange: Exchange) throws -> HTTPResponse {
        let method = exchange.request.method
        let changes = method == .delete ? [:] : try EntityType.flight.values(in: exchange)
        guard changes[EntityType.flightKey].map({ $0 == key }) ?? true else {
            throw Failure.badRequest("The property \(EntityType.flightKey) differs from the key \(key)")
        }
        let etag = try state.withLock { state throws(Failure) -> String? in
            guard let record = state.flights[key] else { throw .notFound }
            try require(ifMatch: exchange.request.fields["If-Match"], record.etag)
            guard method != .delete else {
                state.flights[key] = nil
                return nil
            }
            let kept = method == .put ? [:] : record.values
            let values = kept.applying(changes.filter { $0.key != EntityType.flightKey })
            let changed = Record(values: values, version: record.version + 1)
            state.flights[key] = changed
            return changed.etag
        }
        var response = exchange.request.response(.noContent)
        if let etag { try response.head.fields.set(.etag, to: etag) }
        return response
    }

    private func require(ifMatch: String?, _ etag: String) throws(Failure) {
        guard let ifMatch else {
            guard configuration.requiresIfMatch else { return }
            throw .precondition(428, "If-Match is missing; send the ETag of the flight")
        }
        guard ETagList(ifMatch).matches(etag) else {
            throw .precondition(412, "The flight has changed: its ETag is \(etag)")
        }
    }

    private func entry(of record: Record, key: String, in exchange: Exchange) -> ODataEntry {
        var values = record.values
        values[EntityType.flightKey] = key
        return ODataEntry(
            type: .flight, url: exchange.url(of: "Flights", key: key), key: key, etag: record.etag, values: values)
    }
}
