import Foundation
import Synchronization
import Testing

@testable import Transport

#if !canImport(Darwin)
    @Suite struct InlineOperationQueueTests {
        @Test func `runs an operation before returning`() {
            let ran = Atomic(0)
            let queue = InlineOperationQueue()
            queue.addOperation { ran.add(1, ordering: .relaxed) }
            #expect(ran.load(ordering: .relaxed) == 1)
            queue.addOperation(BlockOperation { ran.add(1, ordering: .relaxed) })
            #expect(ran.load(ordering: .relaxed) == 2)
        }
    }
#endif
