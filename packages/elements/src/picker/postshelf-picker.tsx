import { ACCEPTED } from '@postshelf/browser/uploads/upload.ts';
import { enableShadowDOM } from '@react-stately/flags';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria/I18nProvider';
import { createRoot, type Root } from 'react-dom/client';
import { Access } from './access.ts';
import type { PickerMessages } from './english.ts';
import type { ErrorDetail, PickedItem, PickerToken, SelectDetail } from './picked-item.ts';
import { Picker } from './picker.tsx';
import { PickerSession } from './picker-session.ts';
import { sentenceOf } from './sentences.ts';
import { pickerStyles } from './styles.ts';
import { WordsProvider, wordsWith } from './words.ts';

// Makes react-aria find the focused element within shadow trees.
enableShadowDOM();

const ATTRIBUTES = [
  'base-url',
  'workspace',
  'folder',
  'type',
  'multiple',
  'no-upload',
  'max',
  'accept',
  'selected',
] as const;

/** Properties that a page may have set before the element was defined. */
const PROPERTIES = [
  'baseUrl',
  'workspace',
  'folder',
  'type',
  'multiple',
  'noUpload',
  'token',
  'max',
  'accept',
  'selected',
  'messages',
] as const;

/** Frameworks also import this module when they render pages on a server, where `HTMLElement` doesn't exist. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/** `<postshelf-picker>` lets the user choose media of a workspace, and upload media to it. */
export class PostshelfPicker extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  readonly #access = new Access();
  #token: PickerToken | null = null;
  #messages: PickerMessages | null = null;
  #session: PickerSession | null = null;
  #sessionOf: string | null = null;
  #root: Root | null = null;
  #frame: HTMLElement | null = null;
  #isDue = false;

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [pickerStyles()];
  }

  /** The service's root URL, such as `https://media.example.com`. */
  get baseUrl(): string | null {
    return this.getAttribute('base-url');
  }
  set baseUrl(value: string | null) {
    this.#set('base-url', value);
  }

  get workspace(): string | null {
    return this.getAttribute('workspace');
  }
  set workspace(value: string | null) {
    this.#set('workspace', value);
  }

  /** The id of the only folder that is shown and uploaded to; null leaves the choice to the user. */
  get folder(): string | null {
    return this.getAttribute('folder');
  }
  set folder(value: string | null) {
    this.#set('folder', value);
  }

  /** The only kind that can be chosen, `image` or `video`; null for both. */
  get type(): PickedItem['kind'] | null {
    const type = this.getAttribute('type');
    return type === 'image' || type === 'video' ? type : null;
  }
  set type(value: PickedItem['kind'] | null) {
    this.#set('type', value);
  }

  /** Whether several items can be chosen. */
  get multiple(): boolean {
    return this.hasAttribute('multiple');
  }
  set multiple(value: boolean) {
    this.toggleAttribute('multiple', Boolean(value));
  }

  /** Whether uploading is disabled. */
  get noUpload(): boolean {
    return this.hasAttribute('no-upload');
  }
  set noUpload(value: boolean) {
    this.toggleAttribute('no-upload', Boolean(value));
  }

  /** With `multiple`, the maximum number of items that can be chosen; null for any number. */
  get max(): number | null {
    const max = Number(this.getAttribute('max'));
    return Number.isInteger(max) && max > 0 ? max : null;
  }
  set max(value: number | null) {
    this.#set('max', value?.toString());
  }

  /** The media types that can be chosen, as for a file input: `image/jpeg, video/*`; null for all. */
  get accept(): string | null {
    return this.getAttribute('accept');
  }
  set accept(value: string | null) {
    this.#set('accept', value);
  }

  /** Ids of the items that are selected initially, separated by white space. */
  get selected(): string | null {
    return this.getAttribute('selected');
  }
  set selected(value: string | null) {
    this.#set('selected', value);
  }

  /** Texts that replace the picker's own; null for English. */
  get messages(): PickerMessages | null {
    return this.#messages;
  }
  set messages(value: PickerMessages | null | undefined) {
    this.#messages = value ?? null;
    this.#update();
  }

  /**
   * A token of the service, or a function that returns one. The function is called when a token is first needed, and
   * again whenever the service has refused the current one. The token can't be set as an attribute, because scripts
   * could read it from the document's markup. Setting null ends the picker's session.
   */
  get token(): PickerToken | null {
    return this.#token;
  }
  set token(value: PickerToken | null | undefined) {
    if ((value ?? null) === this.#token) return;
    this.#token = value ?? null;
    this.#access.use(this.#token);
    // Queries may have failed because of the previous token.
    if (this.#token !== null) void this.#session?.retryFailed();
    this.#update();
  }

  override addEventListener(
    type: 'pick' | 'select',
    listener: (this: PostshelfPicker, event: CustomEvent<SelectDetail>) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: 'error',
    listener: (this: PostshelfPicker, event: CustomEvent<ErrorDetail>) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  /** Overridden only to type the events. */
  override addEventListener(type: string, listener: never, options?: boolean | AddEventListenerOptions): void {
    super.addEventListener(type, listener, options);
  }

  connectedCallback(): void {
    for (const name of PROPERTIES) this.#upgrade(name);
    this.#update();
  }

  attributeChangedCallback(): void {
    this.#update();
  }

  disconnectedCallback(): void {
    // An element that is moved is removed and inserted in the same task. Its session must not end in that case.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end();
    });
  }

  #set(name: (typeof ATTRIBUTES)[number], value: string | null | undefined): void {
    if (value === null || value === undefined) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  /**
   * Makes the accessor receive a value that the page set before the element was defined. Such a value is an own
   * property, which hides the accessor, so the property is deleted first.
   */
  #upgrade(name: (typeof PROPERTIES)[number]): void {
    if (!Object.hasOwn(this, name)) return;
    const value: unknown = this[name];
    delete (this as Partial<Record<typeof name, unknown>>)[name];
    Object.assign(this, { [name]: value });
  }

  /** Renders once for all attributes that are set in the same task. */
  #update(): void {
    if (this.#isDue || !this.isConnected) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#render();
    });
  }

  #render(): void {
    const { shadowRoot, workspace } = this;
    if (!shadowRoot) return;
    this.#frame ??= shadowRoot.appendChild(frame());
    // The page's texts are in the page's language, the picker's own in English.
    this.#frame.lang = this.#messages === null ? 'en' : languageAround(this);
    this.#root ??= createRoot(this.#frame);
    this.#root.render(
      <StrictMode>
        <I18nProvider locale="en-GB">
          <WordsProvider value={wordsWith(this.#messages)}>{this.#content(workspace)}</WordsProvider>
        </I18nProvider>
      </StrictMode>,
    );
  }

  #content(workspace: string | null) {
    const missing = [this.baseUrl === null && 'base-url', workspace === null && 'workspace'].filter(Boolean);
    if (workspace === null || missing.length > 0)
      return <Message text={`The picker needs ${missing.join(' and ')}.`} />;
    if (!this.#access.isGiven) {
      this.#endSession();
      return <Message text="The picker is waiting for a token." />;
    }
    try {
      const session = this.#open(this.baseUrl ?? '');
      const accepted = acceptedBy(this.accept);
      return (
        <Picker
          // The picker is mounted again for another workspace, so that no state of the previous one is shown.
          key={`${this.#sessionOf} ${workspace}`}
          session={session}
          workspace={workspace}
          folder={this.folder || null}
          kind={this.type ?? kindOfAll(accepted)}
          max={this.max ?? Number.POSITIVE_INFINITY}
          accepted={accepted}
          preselected={wordsOf(this.selected)}
          isMultiple={this.multiple}
          takesUploads={!this.noUpload}
          onPicked={this.#dispatchPick}
          onCancelled={this.#dispatchCancel}
          onFailed={this.#dispatchError}
        />
      );
    } catch (error) {
      return <Message text={sentenceOf(error)} />;
    }
  }

  /** Opens a session. @throws TypeError if `baseUrl` isn't an http or https URL */
  #open(baseUrl: string): PickerSession {
    if (this.#session === null || this.#sessionOf !== baseUrl) {
      this.#endSession();
      this.#session = new PickerSession(baseUrl, this.#access);
      this.#sessionOf = baseUrl;
    }
    return this.#session;
  }

  /** Dispatches `pick`, and `select`, its name in earlier versions. */
  readonly #dispatchPick = (items: readonly PickedItem[]): void => {
    for (const name of ['pick', 'select']) {
      this.dispatchEvent(new CustomEvent<SelectDetail>(name, { detail: { items }, bubbles: true, composed: true }));
    }
  };

  /** Dispatches `cancel`. It doesn't bubble, like the `cancel` event of native elements. */
  readonly #dispatchCancel = (): void => void this.dispatchEvent(new CustomEvent('cancel'));

  readonly #dispatchError = (detail: ErrorDetail): void =>
    void this.dispatchEvent(new CustomEvent<ErrorDetail>('error', { detail }));

  #end(): void {
    this.#root?.unmount();
    this.#root = null;
    this.#frame = null;
    this.#endSession();
    this.shadowRoot?.replaceChildren();
  }

  #endSession(): void {
    this.#session?.end();
    this.#session = null;
  }
}

const wordsOf = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean);

/** Returns those of the six supported types that `accept` allows; null if it allows all of them. */
function acceptedBy(accept: string | null): readonly string[] | null {
  const wanted = wordsOf(accept);
  const fits = (type: string): boolean => wanted.includes(type) || wanted.includes(type.replace(/\/.*/, '/*'));
  return wanted.length === 0 ? null : Object.values(ACCEPTED).flat().filter(fits);
}

function kindOfAll(types: readonly string[] | null): PickedItem['kind'] | null {
  const kinds = new Set(types?.map((type) => (type.startsWith('image/') ? 'image' : 'video')));
  return kinds.size === 1 ? ([...kinds][0] ?? null) : null;
}

function frame(): HTMLElement {
  const element = document.createElement('div');
  element.className = 'picker-frame';
  return element;
}

/** Returns the language of an element, also from outside of the shadow trees that it is in; empty if it has none. */
function languageAround(element: Element): string {
  const root = element.getRootNode();
  const found = element.closest('[lang]')?.getAttribute('lang');
  return found ?? (root instanceof ShadowRoot ? languageAround(root.host) : '');
}

const Message = ({ text }: { readonly text: string }) => (
  <div className="picker">
    <p className="picker-empty" role="status">
      {text}
    </p>
  </div>
);
