import { css } from '@emotion/css';
import { renderMarkdown, renderTextPanelMarkdown, textUtil } from '@grafana/data';
import type { Props } from './props';

export function Text({ data, variables, height }: Props) {
  const { mode = 'markdown', content = '' } = data.panel.options ?? {};
  const text = variables.inText(content);
  const html = mode === 'html' ? textUtil.sanitizeTextPanelContent(text) : mode === 'code' ? renderMarkdown('```\n' + text + '\n```') : renderTextPanelMarkdown(text);
  return <div className={`markdown-html ${css({ height, overflow: 'hidden' })}`} dangerouslySetInnerHTML={{ __html: html }} />;
}
