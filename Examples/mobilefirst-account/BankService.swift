import HTTPMessages
import PatchbayTestKit
import RequestModel
import VendorServices

/// The adapters of a bank: a balance, and a transfer that lowers it.
enum BankService {
    static func start() throws -> LoopbackServer {
        let balance = Watched(120)
        var configuration = MobileFirstService.Configuration()
        let scope = "RegisteredClient transfer"
        configuration.adapters = [
            .init("Bank/balance", scope: scope) { request, _ in
                request.response(json: ["amount": .integer(Int64(balance.value))])
            },
            .init("Bank/transfer", scope: scope) { request, _ in
                let form = Query(parsing: String(decoding: try await request.body.collect(), as: UTF8.self), as: .form)
                guard let amount = form["amount"].flatMap({ Int($0) }), amount > 0 else {
                    return request.response(.badRequest, json: ["reason": "The amount is missing."])
                }
                let rest: Int? = balance.update { balance in
                    guard balance >= amount else { return nil }
                    balance -= amount
                    return balance
                }
                guard let rest else { return request.response(.conflict, json: ["reason": "There is too little."]) }
                return request.response(json: ["amount": .integer(Int64(rest))])
            },
        ]
        return try LoopbackServer(service: MobileFirstService(configuration))
    }
}
