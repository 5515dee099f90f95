// What the page uses of htm 3.1.1 with Preact.

export interface VNode {
  readonly type: unknown
}
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode
export function render(node: VNode, root: Element): void
export function useState<T>(first: T): [T, (next: T) => void]
export function useRef<T>(first: T): { current: T }
export function useEffect(effect: () => void | (() => void), deps?: unknown[]): void
export function useLayoutEffect(effect: () => void | (() => void), deps?: unknown[]): void
